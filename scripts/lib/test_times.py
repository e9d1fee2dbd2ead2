"""Prints how long the suites and the slowest tests took.

usage: test_times.py FOLDER

FOLDER has the files of `rust_tests.py` (`*.tsv`: suite, name and seconds) and of pytest (`*.xml`, named after the suite).
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as xml

SLOWEST = 50


def tests(folder):
    """Suite, name and seconds of each test."""
    for file in folder.glob("*.tsv"):
        for line in file.read_text().splitlines():
            suite, name, seconds = line.split("\t")
            yield suite, name, float(seconds)
    for file in folder.glob("*.xml"):
        for case in xml.parse(file).iter("testcase"):
            yield file.stem, f"{case.get('classname')}::{case.get('name')}", float(case.get("time"))


def main():
    found = sorted(tests(pathlib.Path(sys.argv[1])), key=lambda test: -test[2])
    suites = collections.defaultdict(list)
    for suite, _, seconds in found:
        suites[suite].append(seconds)
    print("The time of the tests of each suite, one after another (several run at once):")
    for suite, seconds in sorted(suites.items(), key=lambda each: -sum(each[1])):
        print(f"{sum(seconds):8.1f} s {len(seconds):5} tests  {suite}")
    print(f"The {SLOWEST} slowest tests:")
    for suite, name, seconds in found[:SLOWEST]:
        print(f"{seconds:8.1f} s  {suite}: {name}")


main()
