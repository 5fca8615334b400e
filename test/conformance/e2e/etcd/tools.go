//go:build tools

// Package tools pins the etcd beside kube-apiserver in comparisons.
package tools

import _ "go.etcd.io/etcd/server/v3"
