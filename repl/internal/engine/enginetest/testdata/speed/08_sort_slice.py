import time

def main():
    xs = []
    x = 12345
    for i in range(100000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        xs.append(x)
    began, used = time.perf_counter(), time.process_time()
    xs.sort(key=lambda v: v)
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(xs[0], xs[50000])


main()
