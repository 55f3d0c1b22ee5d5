import time

def main():
    text = "the quick brown fox jumps over the lazy dog again and again\n" * 85000
    began, used = time.perf_counter(), time.process_time()
    n = 0
    for c in text:
        if c == "o" or c > "t":
            n += 1
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(n)


main()
