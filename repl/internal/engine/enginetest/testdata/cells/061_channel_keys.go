m := map[chan int]string{}
for i := range 3 {
	m[make(chan int, i+1)] = fmt.Sprint(i)
}
sum := 0
for k, v := range m {
	sum += cap(k) * 10
	fmt.Println(len(v), m[k] == v)
}
for k := range maps.Keys(m) {
	sum += cap(k)
}
var last chan int
for last = range m {
	if cap(last) == 2 {
		break
	}
}
fmt.Println(sum, cap(last))
d := map[<-chan int]bool{last: true}
for k := range d {
	fmt.Println(k == last, len(k))
}
