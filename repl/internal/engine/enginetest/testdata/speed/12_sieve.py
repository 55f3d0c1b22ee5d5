import time

def main():
    began = time.perf_counter()
    n = 1_000_000
    composite = [False] * (n + 1)
    primes = 0
    for i in range(2, n + 1):
        if composite[i]:
            continue
        primes += 1
        for j in range(i * i, n + 1, i):
            composite[j] = True
    print("took", time.perf_counter() - began)
    print(primes)


main()
