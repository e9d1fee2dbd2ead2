// Reads a file line by line, in batches, so that a large one does not have to fit into memory.

/**
 * The lines of a file that are not empty.
 * @param {Blob} file @param {number} size lines of a batch
 * @returns {AsyncGenerator<string[]>}
 */
export async function* lineBatches(file, size = 500) {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  /** @type {string[]} */
  let batch = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    batch.push(...lines.filter((line) => line.trim()));
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (rest.trim()) batch.push(rest);
  if (batch.length) yield batch;
}
