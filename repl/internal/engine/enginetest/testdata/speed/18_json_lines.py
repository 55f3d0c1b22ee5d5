import time
import json


def main():
    text = "{\"user\":\"ann\",\"score\":1.5,\"tags\":[\"a\",\"b\"]}\n{\"user\":\"bob\",\"score\":2,\"tags\":[]}\n" * 100000
    began, used = time.perf_counter(), time.process_time()
    totals = {}
    for line in text.splitlines():
        r = json.loads(line)
        totals[r["user"]] = totals.get(r["user"], 0) + r["score"] + len(r["tags"])
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(int(totals["ann"]), int(totals["bob"]))


main()
