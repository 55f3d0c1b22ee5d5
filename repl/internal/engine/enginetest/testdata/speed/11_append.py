import time

def main():
    began, used = time.perf_counter(), time.process_time()
    xs = []
    for i in range(1_000_000):
        xs.append(i * 2)
    s = 0
    for x in xs:
        s += x
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(s)


main()
