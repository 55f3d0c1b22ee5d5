import time

def main():
    began, used = time.perf_counter(), time.process_time()
    b = []
    for i in range(1_000_000):
        b.append("ab")
        b.append("c")
    s = "".join(b)
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(len(s))


main()
