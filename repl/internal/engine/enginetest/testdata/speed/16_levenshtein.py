import time

def main():
    a, b = "kitten" * 100, "sitting thing" * 42
    began, used = time.perf_counter(), time.process_time()
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(d[len(a)][len(b)])


main()
