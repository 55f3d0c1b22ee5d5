package rtype

const stubSize = 16
