import time

def main():
    began, used = time.perf_counter(), time.process_time()
    xs = []
    x = 12345
    for i in range(1000000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        xs.append(x)
    xs.sort()
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(xs[0], xs[500000])


main()
