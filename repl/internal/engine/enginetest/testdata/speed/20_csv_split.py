import time

def main():
    text = "north,17,2.5,a\nsouth,4,1.25,b\neast,9,3,c\nwest,1,0.5,d\n" * 250000
    began, used = time.perf_counter(), time.process_time()
    sums = {}
    for line in text.strip().split("\n"):
        row = line.split(",")
        sums[row[0]] = sums.get(row[0], 0) + float(row[2])
    print("took", time.perf_counter() - began, time.process_time() - used)
    print(len(sums), int(sums["north"]))


main()
