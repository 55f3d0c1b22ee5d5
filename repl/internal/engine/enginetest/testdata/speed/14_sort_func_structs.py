import time
class Rec:
    __slots__ = ("id", "score", "name")

    def __init__(self, id, score, name):
        self.id, self.score, self.name = id, score, name


def main():
    recs = []
    x = 12345
    for i in range(500_000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        recs.append(Rec(i, x % 1000003, "n"))
    began, used = time.perf_counter(), time.process_time()
    recs.sort(key=lambda r: r.score)
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(recs[0].score, recs[250000].score)


main()
