import time

def main():
    text = "the quick brown fox jumps over the lazy dog again and again\n" * 850000
    began = time.perf_counter()
    counts = {}
    for w in text.split():
        counts[w] = counts.get(w, 0) + 1
    print("took", time.perf_counter() - began)
    print(len(counts), counts["again"])


main()
