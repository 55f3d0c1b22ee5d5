import time

def main():
    n = 160
    a = [[float(i + j) for j in range(n)] for i in range(n)]
    b = [[float(i - j) for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    began, used = time.perf_counter(), time.process_time()
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(int(c[3][5]), int(c[n - 1][n - 1]))


main()
