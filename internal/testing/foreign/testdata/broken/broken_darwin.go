package broken

var number int = "one"
