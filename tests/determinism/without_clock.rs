//! What looks at a clock elsewhere works where there is none: as WebAssembly.

use std::convert::Infallible;

use bvtree::{BuildOptions, BvTree, Query, metrics, query::many};

use super::meshes;

#[test]
fn many_poses_are_asked_about() {
    let tree = BvTree::build(&meshes::mesh("bolt"), &BuildOptions::default()).unwrap();
    let poses = meshes::poses(&tree, &tree);
    let all = many::map(&poses, Query::new, |query, pose| query.intersects(&tree, &tree, pose));
    let mut in_blocks = Vec::new();
    let Ok(()) = many::for_each_block(
        &poses,
        Query::new,
        |query, pose| query.intersects(&tree, &tree, pose),
        |_, hits| {
            in_blocks.extend(hits);
            Ok::<(), Infallible>(())
        },
    );
    assert_eq!(in_blocks, all);
    let costs = metrics::time_queries(&mut Query::new(), &tree, &tree, &poses, 1);
    assert_eq!(costs.iter().map(|cost| cost.hit).collect::<Vec<_>>(), all);
}
