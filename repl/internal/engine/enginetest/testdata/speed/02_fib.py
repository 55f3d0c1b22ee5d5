import time
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def main():
    began = time.perf_counter()
    n = fib(27)
    print("took", time.perf_counter() - began)
    print(n)


main()
