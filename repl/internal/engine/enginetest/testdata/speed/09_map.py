import time

def main():
    began, used = time.perf_counter(), time.process_time()
    m = {}
    for i in range(1_000_000):
        k = i % 1000
        m[k] = m.get(k, 0) + i
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(len(m), m[7])


main()
