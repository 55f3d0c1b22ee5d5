import time

def main():
    began = time.perf_counter()
    m = {}
    for i in range(1_000_000):
        k = i % 1000
        m[k] = m.get(k, 0) + i
    print("took", time.perf_counter() - began)
    print(len(m), m[7])


main()
