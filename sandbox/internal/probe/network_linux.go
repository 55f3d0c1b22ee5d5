package probe

import (
	"golang.org/x/sys/unix"
)

func network() []Probe {
	socket := func(family, kind, proto int) func(int) error {
		return func(int) error {
			return opened(unix.Socket(family, kind, proto))
		}
	}
	return []Probe{
		worked("net.tcp", "open a TCP socket", socket(unix.AF_INET, unix.SOCK_STREAM, 0)),
		worked("net.udp", "open a UDP socket", socket(unix.AF_INET, unix.SOCK_DGRAM, 0)),
		worked("net.tcp6", "open a TCP socket over IPv6", socket(unix.AF_INET6, unix.SOCK_STREAM, 0)),
		worked("net.unix", "open a Unix socket", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)),
		worked("net.netlink", "open a netlink socket", socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)),
		worked("net.packet", "open a packet socket", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)),
		worked("net.vsock", "open a socket to the hypervisor", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)),
		worked("net.alg", "open a socket to the kernel's ciphers", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)),
		worked("net.pair", "make a pair of sockets", func(int) error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return err
		}),
		reached("net.connect", "connect a descriptor", call(unix.SYS_CONNECT, minus1, 0, 0)),
		reached("net.bind", "bind a descriptor", call(unix.SYS_BIND, minus1, 0, 0)),
		reached("net.accept", "accept a connection", call(unix.SYS_ACCEPT4, minus1, 0, 0, 0)),
		reached("net.sendmsg", "send descriptors to the host", call(unix.SYS_SENDMSG, minus1, 0, 0)),
		reached("net.recvmsg", "read errors and urgent data of a socket",
			call(unix.SYS_RECVMSG, minus1, 0, unix.MSG_ERRQUEUE)),
		reached("net.sendto", "send a datagram", call(unix.SYS_SENDTO, minus1, 0, 0, 0, 0, 0)),
		reached("net.setsockopt", "change the host's socket", call(unix.SYS_SETSOCKOPT, minus1, 0, 0, 0, 0)),
	}
}
