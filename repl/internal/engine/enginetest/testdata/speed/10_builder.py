import time

def main():
    began = time.perf_counter()
    b = []
    for i in range(1_000_000):
        b.append("ab")
        b.append("c")
    s = "".join(b)
    print("took", time.perf_counter() - began)
    print(len(s))


main()
