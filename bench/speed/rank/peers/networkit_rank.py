"""PageRank with NetworKit, which is written in C++ and uses all cores."""

import json
import sys
import time

import networkit
import numpy as np

path, out, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
started = time.perf_counter()
edges = np.load(path).astype(np.uint64)  # it crashes with other types
size = int(edges.max()) + 1
graph = networkit.graph.GraphFromCoo((edges[0], edges[1]), n=size, directed=True)
built = time.perf_counter()
sinks = networkit.centrality.SinkHandling.DistributeSinks
ranking = networkit.centrality.PageRank(graph, 0.85, 1e-30, False, sinks)
ranking.maxIterations = rounds
ranking.run()
done = time.perf_counter()
np.save(out, np.array(ranking.scores()))
print(json.dumps({"build": built - started, "iterate": done - built}))
