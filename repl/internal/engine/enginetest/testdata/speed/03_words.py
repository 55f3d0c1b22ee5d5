import time

def main():
    text = "the quick brown fox jumps over the lazy dog again and again\n" * 850000
    began, used = time.perf_counter(), time.process_time()
    counts = {}
    for w in text.split():
        counts[w] = counts.get(w, 0) + 1
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(len(counts), counts["again"])


main()
