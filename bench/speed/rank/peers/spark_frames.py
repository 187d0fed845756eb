"""PageRank with PySpark on this machine: data frames are joined and grouped in each round."""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

path, out, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.environ["PYSPARK_PYTHON"] = sys.executable
table = f"{out}.parquet"
edges = np.load(path)
size = int(edges.max()) + 1
# Not measured: Spark has no reader for .npy.
parquet.write_table(pyarrow.table({"source": edges[0], "target": edges[1]}), table)
del edges
started = time.perf_counter()
spark = (
    SparkSession.builder.master(f"local[{os.cpu_count()}]")
    .config("spark.driver.memory", "8g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "8")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
links = spark.read.parquet(table).repartition(8, "source").cache()
degrees = links.groupBy("source").count().cache()
degrees.count()
built = time.perf_counter()
ranks = spark.range(size).select(f.col("id"), f.lit(1 / size).alias("rank"))
for _ in range(rounds):
    share = ranks.join(degrees, ranks.id == degrees.source)
    passed = share.select("source", (f.col("rank") / f.col("count")).alias("part"))
    lost = 1 - (share.agg(f.sum("rank")).first()[0] or 0)
    flow = links.join(passed, "source").groupBy("target").agg(f.sum("part").alias("flow"))
    fresh = spark.range(size).join(flow, f.col("id") == flow.target, "left")
    rank = (0.15 + 0.85 * lost) / size + 0.85 * f.coalesce(f.col("flow"), f.lit(0.0))
    ranks = fresh.select("id", rank.alias("rank")).localCheckpoint()
done = time.perf_counter()
rows = ranks.toArrow().to_pydict()
found = np.zeros(size)
found[rows["id"]] = rows["rank"]
np.save(out, found)
Path(table).unlink()
machine = spark.sparkContext._gateway  # its CPU time is known only after it has ended
spark.stop()
machine.shutdown()
machine.proc.stdin.close()
machine.proc.wait()
print(json.dumps({"build": built - started, "iterate": done - built}))
