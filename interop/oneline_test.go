// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// oneLineMain is a program that logs in with github.com/xdg-go/scram and has never heard of github.com/fastkdf.
const oneLineMain = `package main

import (
	"fmt"
	"runtime/debug"

	"github.com/xdg-go/scram"
)

func main() {
	client, err := scram.SHA256.NewClient("user", "pencil", "")
	if err != nil {
		panic(err)
	}
	stored := client.GetStoredCredentials(scram.KeyFactors{Salt: "salt", Iters: 4096})
	fmt.Printf("server key %x\n", stored.ServerKey)
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Replace != nil {
			fmt.Println(d.Path, "=>", d.Replace.Path, d.Replace.Version)
		}
	}
}
`

// TestOneLine packs the library and the shim as a module proxy would hand them out once they are published, and adds one replace line to the
// go.mod of a program that uses github.com/xdg-go/scram.
func TestOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	goTool := program(t, "go")
	proxy := t.TempDir()
	const shim = "github.com/fastkdf/pbkdf2/shim/xdg-go-pbkdf2"
	pack(t, proxy, "..", "github.com/fastkdf/pbkdf2")
	pack(t, proxy, "../shim/xdg-go-pbkdf2", shim)
	goenv := func(name string) string { return strings.TrimSpace(string(run(t, nil, goTool, "env", name))) }
	t.Setenv("GOPROXY", "file://"+proxy+",file://"+goenv("GOMODCACHE")+"/cache/download,"+goenv("GOPROXY"))
	t.Setenv("GOMODCACHE", t.TempDir()) // keeps what is packed here out of the user's
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -modcacherw -trimpath -buildvcs=false")
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{
		"go.mod": "module example.org/client\n\ngo 1.26.0\n\nrequire github.com/xdg-go/scram v1.1.2\n\n" +
			"replace github.com/xdg-go/pbkdf2 => " + shim + " v0.0.0\n",
		"main.go": oneLineMain,
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	salted := key(t, sha256.New, "pencil", []byte("salt"), 4096, 32)
	want := fmt.Sprintf("server key %x\ngithub.com/xdg-go/pbkdf2 => %s v0.0.0\n", mac(sha256.New, salted, "Server Key"), shim)
	if got := string(run(t, nil, goTool, "run", ".")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// pack adds the module in a directory to a proxy's, as version v0.0.0 of path.
func pack(t *testing.T, proxy, dir, path string) {
	t.Helper()
	versions := filepath.Join(proxy, path, "@v")
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if err := modzip.CreateFromDir(&content, module.Version{Path: path, Version: "v0.0.0"}, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(versions, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"v0.0.0.info": []byte(`{"Version": "v0.0.0"}`), "v0.0.0.mod": mod, "v0.0.0.zip": content.Bytes()} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
