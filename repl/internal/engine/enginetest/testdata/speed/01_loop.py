import time

def main():
    began, used = time.perf_counter(), time.process_time()
    s = 0
    for i in range(10_000_000):
        s += i & 3
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(s)


main()
