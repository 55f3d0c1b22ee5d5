import time
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def main():
    began, used = time.perf_counter(), time.process_time()
    n = fib(27)
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(n)


main()
