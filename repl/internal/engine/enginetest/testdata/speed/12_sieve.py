import time

def main():
    began, used = time.perf_counter(), time.process_time()
    n = 1_000_000
    composite = [False] * (n + 1)
    primes = 0
    for i in range(2, n + 1):
        if composite[i]:
            continue
        primes += 1
        for j in range(i * i, n + 1, i):
            composite[j] = True
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(primes)


main()
