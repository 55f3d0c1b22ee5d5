import time

def main():
    began = time.perf_counter()
    xs = []
    for i in range(1_000_000):
        xs.append(i * 2)
    s = 0
    for x in xs:
        s += x
    print("took", time.perf_counter() - began)
    print(s)


main()
