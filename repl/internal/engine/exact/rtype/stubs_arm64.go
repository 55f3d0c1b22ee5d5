package rtype

const stubSize = 8
