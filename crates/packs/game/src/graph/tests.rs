//! Layers, cycles, scopes, neighbourhoods and drawings of small graphs, and of the largest one.

use std::{collections::BTreeSet, time::Instant};

use toolcrib_model::Id;

use super::*;

/// A graph of systems with these names. Edges are `A>B` (requires), `A+B` (enhances) or `A?B` (optional).
fn graph(names: &str, edges: &str) -> Graph {
    let ids: Vec<&str> = names.split(' ').filter(|name| !name.is_empty()).collect();
    let id = |name: &str| Id::from_u128(ids.iter().position(|one| *one == name).unwrap() as u128 + 1);
    let node = |name: &&str| SystemName { id: id(name), slug: name.to_lowercase(), name: (*name).to_owned() };
    let edge = |text: &str| {
        let at = text.find(['>', '+', '?']).unwrap();
        let kind = match &text[at..=at] {
            ">" => DependencyType::Requires,
            "+" => DependencyType::Enhances,
            _ => DependencyType::Optional,
        };
        (id(&text[..at]), id(&text[at + 1..]), kind)
    };
    let nodes = ids.iter().map(node).collect();
    Graph::new(nodes, edges.split(' ').filter(|edge| !edge.is_empty()).map(edge))
}

fn names(graph: &Graph, nodes: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<&str> = nodes.into_iter().map(|node| &*graph.nodes()[node].name).collect();
    names.join(" ")
}

fn at(graph: &Graph, name: &str) -> usize {
    graph.nodes().iter().position(|node| node.name == name).unwrap()
}

fn order(graph: &Graph) -> String {
    names(graph, ordered(0..graph.nodes().len(), &graph.layers().unwrap()))
}

fn reached(graph: &Graph, name: &str, follow: Follow) -> String {
    let reached = graph.reach(&[at(graph, name)], follow).into_iter();
    let words = reached.map(|one| format!("{}{}", names(graph, [one.node]), one.distance));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_required_comes_first() {
    assert_eq!(order(&graph("A B C", "A>B B>C")), "C B A");
    // A diamond, and a system without dependencies in the lowest layer.
    let diamond = graph("Top Left Right Base Alone", "Top>Left Top>Right Left>Base Right>Base");
    assert_eq!(order(&diamond), "Alone Base Left Right Top");
    assert_eq!(diamond.layers().unwrap(), [0, 0, 1, 1, 2]);
    assert_eq!(order(&graph("", "")), "");
    // A long way decides, not a short one.
    assert_eq!(order(&graph("A B C", "A>C A>B B>C")), "C B A");
}

#[test]
fn other_types_make_no_layers_and_no_cycles() {
    let graph = graph("A B C", "A+B B+A C?A");
    assert_eq!(order(&graph), "A B C");
    assert_eq!(graph.closes_cycle(at(&graph, "B"), at(&graph, "A")), None);
}

#[test]
fn systems_of_one_layer_are_in_the_order_of_their_names_and_ids() {
    let node =
        |id, name: &str| SystemName { id: Id::from_u128(id), slug: String::new(), name: name.to_owned() };
    let (nodes, same) =
        (vec![node(3, "zeta"), node(2, "Éclair"), node(9, "Alpha"), node(1, "alpha")], [1, 9, 3, 2]);
    let sorted =
        |nodes| Graph::new(nodes, []).nodes().iter().map(|node| node.id.as_u128()).collect::<Vec<_>>();
    assert_eq!(sorted(nodes.clone()), same);
    assert_eq!(sorted(nodes.into_iter().rev().collect()), same);
}

#[test]
fn an_edge_that_closes_a_cycle_is_told_with_the_path() {
    let closes = |graph: &Graph, source: &str, target: &str| {
        graph.closes_cycle(at(graph, source), at(graph, target)).map(|path| names(graph, path))
    };
    let two = graph("A B C", "A>B");
    assert_eq!(closes(&two, "B", "A").unwrap(), "B A B");
    assert_eq!(closes(&two, "C", "A"), None);
    assert_eq!(closes(&two, "A", "A").unwrap(), "A A");
    let three = graph("A B C D", "A>B B>C A>D D>C");
    assert_eq!(closes(&three, "C", "A").unwrap(), "C A B C");
    assert_eq!(closes(&three, "A", "C"), None);
}

#[test]
fn a_cycle_of_fifty_is_found() {
    let all: Vec<String> = (0..50).map(|at| format!("S{at:02}")).collect();
    let mut edges: Vec<String> = all.windows(2).map(|pair| format!("{}>{}", pair[0], pair[1])).collect();
    let chain = graph(&all.join(" "), &edges.join(" "));
    let path = chain.closes_cycle(at(&chain, "S49"), at(&chain, "S00")).unwrap();
    assert_eq!((path.len(), names(&chain, [path[0], path[1], path[50]])), (51, "S49 S00 S49".to_owned()));
    edges.push("S49>S00".to_owned());
    edges.push("Y>S10".to_owned());
    let cycle = graph(&format!("{} Y", all.join(" ")), &edges.join(" "));
    let path = cycle.layers().unwrap_err();
    assert_eq!((path.len(), path[0]), (51, path[50]));
    assert!(path.windows(2).all(|pair| cycle.closes_cycle(pair[1], pair[0]).is_some()));
}

#[test]
fn dependents_and_requirements_have_their_distance() {
    let graph = graph("A B C D E", "A>B B>C A>C D>A E+A");
    assert_eq!(reached(&graph, "C", Follow::Dependents), "A1 B1 D2");
    assert_eq!(reached(&graph, "A", Follow::Requirements), "B1 C1");
    assert_eq!(reached(&graph, "E", Follow::Requirements), "");
}

/// What a scope says: what it lacks with requirers, its warnings, its phases.
fn scope(graph: &Graph, chosen: &str) -> [String; 3] {
    let chosen: BTreeSet<usize> = chosen.split(' ').map(|name| at(graph, name)).collect();
    let scope = graph.scope(&chosen).unwrap();
    assert_eq!(scope.order, scope.phases.concat());
    let missing = scope
        .missing
        .iter()
        .map(|one| format!("{}<{}", names(graph, [one.node]), names(graph, one.required_by.iter().copied())));
    let warnings =
        scope.warnings.iter().map(|edge| names(graph, [edge.source, edge.target]).replace(' ', ">"));
    let phases = scope.phases.iter().map(|phase| names(graph, phase.iter().copied()));
    [
        missing.collect::<Vec<_>>().join(", "),
        warnings.collect::<Vec<_>>().join(", "),
        phases.collect::<Vec<_>>().join("|"),
    ]
}

#[test]
fn a_scope_lacks_everything_that_is_required() {
    let chain = graph("A B C", "A>B B>C");
    assert_eq!(scope(&chain, "A"), ["C<B, B<A", "", "A"]);
    assert_eq!(scope(&chain, "A C"), ["B<A", "", "C|A"]);
    assert_eq!(scope(&chain, "A B C"), ["", "", "C|B|A"]);
    assert_eq!(scope(&chain, "C"), ["", "", "C"]);
}

#[test]
fn other_types_and_what_is_outside_are_warnings_at_most() {
    let graph = graph("A B C D E", "A+B A?C A>D D+E B>E");
    assert_eq!(scope(&graph, "A D"), ["", "A>B, A>C, D>E", "D|A"]);
    // `D` is missing anyway, and `E` is of no concern to `A`.
    assert_eq!(scope(&graph, "A"), ["D<A", "A>B, A>C", "A"]);
    // The layers are those inside the scope.
    assert_eq!(scope(&graph, "B E"), ["", "", "E|B"]);
}

#[test]
fn a_neighbourhood_goes_both_ways_over_all_types() {
    let graph = graph("A B C D E", "A>B B+C D?B E>D");
    let near = |name: &str, depth| names(&graph, graph.neighbourhood(at(&graph, name), depth));
    assert_eq!([near("B", 1), near("B", 2), near("A", 1)], ["A B C D", "A B C D E", "A B"]);
}

#[test]
fn a_drawing_has_names_without_markup_and_an_arrow_for_each_type() {
    let graph = graph("A\"<b B-1 1.", "A\"<b>B-1 B-1+1. A\"<b?1.");
    let drawing = graph.mermaid(&(0..3).collect());
    let text = "flowchart RL\n  n0[\"1#46;\"]\n  n1[\"A#34;#60;b\"]\n  n2[\"B-1\"]\n  \
        n1 -.->|optional| n0\n  n1 --> n2\n  n2 -.->|enhances| n0\n";
    assert_eq!((drawing.text.as_str(), drawing.truncated), (text, false));
    assert_eq!(graph.mermaid(&[0].into()).text, "flowchart RL\n  n0[\"1#46;\"]\n");
}

/// The largest project: 2,000 systems, of which each requires some of the five before it.
fn largest() -> Graph {
    let id = |at: usize| Id::from_u128(at as u128 + 1);
    let node = |at| SystemName { id: id(at), slug: format!("s{at}"), name: format!("System {at}") };
    let kind = |step| if step == 5 { DependencyType::Enhances } else { DependencyType::Requires };
    let edges = (0..2000)
        .flat_map(|at: usize| (1..=5).filter_map(move |step| Some((at, at.checked_sub(step)?, step))));
    Graph::new(
        (0..2000).map(node).collect(),
        edges.map(|(at, target, step)| (id(at), id(target), kind(step))),
    )
}

#[test]
fn the_largest_graph_is_no_effort() {
    let began = Instant::now();
    let graph = largest();
    assert_eq!((graph.nodes().len(), graph.edges().len()), (2000, 9985));
    let layers = graph.layers().unwrap();
    assert_eq!(ordered(0..2000, &layers)[1999], at(&graph, "System 1999"));
    assert_eq!(layers[at(&graph, "System 1999")], 1999);
    let (first, last) = (at(&graph, "System 0"), at(&graph, "System 1999"));
    assert_eq!(graph.closes_cycle(first, last).unwrap().len(), 502);
    assert_eq!(graph.reach(&[first], Follow::Dependents).len(), 1999);
    let scope = graph.scope(&[last].into()).unwrap();
    assert_eq!(scope.missing.len(), 1999);
    let drawing = graph.mermaid(&(0..2000).collect());
    assert!(drawing.truncated && drawing.text.contains("Shows 400 of 9985 dependencies"), "{}", drawing.text);
    // A debug build on a busy machine; a release build needs some milliseconds.
    assert!(began.elapsed().as_millis() < 2000, "{:?}", began.elapsed());
}
