import time

def main():
    text = "the quick brown fox jumps over the lazy dog again and again\n" * 850000
    began, used = time.perf_counter(), time.process_time()
    n = longest = 0
    for line in text.split("\n"):
        if "fox" in line:
            n += 1
        longest = max(longest, len(line))
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(n, longest)


main()
