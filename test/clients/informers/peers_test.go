package informers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is three peers of the built program (TRIREME_DIST), as processes on loopback.
type cluster struct {
	t          *testing.T
	dist       string
	folder     string
	kubeconfig string
	initial    string
	peers      map[string]*peer
}

type peer struct {
	name, serving, peering string
	process                *exec.Cmd
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	dist := os.Getenv("TRIREME_DIST")
	if dist == "" {
		t.Fatal("TRIREME_DIST must name the folder of the built program")
	}
	c := &cluster{t: t, dist: dist, folder: t.TempDir(), peers: map[string]*peer{}}
	c.kubeconfig = filepath.Join(c.folder, "admin.kubeconfig")
	var initial, servers []string
	for _, name := range []string{"a", "b", "c"} {
		p := &peer{name: name, serving: freePort(t), peering: freePort(t)}
		c.peers[name] = p
		initial = append(initial, name+"=https://127.0.0.1:"+p.peering)
		servers = append(servers, name+"=https://127.0.0.1:"+p.serving)
	}
	c.initial = strings.Join(initial, ",")
	certs := exec.Command("node", filepath.Join(dist, "cmd/ctl/main.js"), "certs", "--dir", c.folder, "--initial-cluster", c.initial, "--servers", strings.Join(servers, ","))
	if out, err := certs.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name := range c.peers {
		c.start(name)
	}
	t.Cleanup(func() {
		for name := range c.peers {
			c.kill(name)
		}
	})
	for name := range c.peers {
		c.waitReady(name)
	}
	return c
}

func (c *cluster) start(name string) {
	c.t.Helper()
	p := c.peers[name]
	log, err := os.OpenFile(filepath.Join(c.folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	p.process = exec.Command("node", filepath.Join(c.dist, "cmd/apiserver/main.js"), "--data-dir", filepath.Join(c.folder, name),
		"--secure-port", p.serving, "--name", name, "--initial-cluster", c.initial, "--listen-peer-urls", "https://127.0.0.1:"+p.peering)
	p.process.Stdout, p.process.Stderr = log, log
	if err := p.process.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// kill ends a peer as a crash does.
func (c *cluster) kill(name string) {
	p := c.peers[name]
	_ = p.process.Process.Signal(syscall.SIGKILL)
	_ = p.process.Wait()
}

func (c *cluster) waitReady(name string) {
	c.t.Helper()
	api := kubernetes.NewForConfigOrDie(c.config(name))
	var last error
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if _, last = api.RESTClient().Get().AbsPath("/readyz").DoRaw(c.t.Context()); last == nil {
			return
		}
	}
	log, _ := os.ReadFile(filepath.Join(c.folder, name+".log"))
	c.t.Fatalf("peer %s is not ready: %v\n%s", name, last, log)
}

// config is the configuration of a client of one peer: each context of the kubeconfig is one.
func (c *cluster) config(name string) *rest.Config {
	c.t.Helper()
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: c.kubeconfig}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		c.t.Fatal(err)
	}
	config.QPS, config.Burst = 500, 500
	return config
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}
