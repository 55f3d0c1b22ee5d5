package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsMember is the main function of a program: a server of a NATS cluster. Its arguments are its name, its data
// folder and the addresses of the other servers. It prints its addresses for clients and for other servers.
func natsMember() {
	var routes []*url.URL
	for _, address := range os.Args[3:] {
		routes = append(routes, &url.URL{Scheme: "nats", Host: address})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: os.Args[1], Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: os.Args[2],
		DisableJetStreamBanner: true,
		JetStreamMaxMemory:     64 << 20, JetStreamMaxStore: 10 << 30, Routes: routes, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoAdvertise: true},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		fmt.Fprintln(os.Stderr, "not ready")
		os.Exit(1)
	}
	fmt.Println(strings.Join([]string{"listens", s.Addr().String(), s.ClusterAddr().String()}, " "))
	s.WaitForShutdown()
}
