// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package interop

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"
	"github.com/xdg-go/scram"
)

// verifier is what PostgreSQL stores of a password (pg_authid.rolpassword), made with our key.
func verifier(t *testing.T, password string, salt []byte, iter int) string {
	t.Helper()
	salted := key(t, sha256.New, password, salt, iter, 32)
	storedKey := sha256.Sum256(mac(sha256.New, salted, "Client Key"))
	b64 := base64.StdEncoding
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iter, b64.EncodeToString(salt), b64.EncodeToString(storedKey[:]),
		b64.EncodeToString(mac(sha256.New, salted, "Server Key")))
}

// TestPostgreSQL logs in to a server of its own, with SCRAM-SHA-256 only: with psql and github.com/lib/pq as roles whose verifiers we made, and
// with keys that we derived as a role whose verifier the server made.
func TestPostgreSQL(t *testing.T) {
	psql := program(t, "psql")
	roles := []struct {
		name, password string
		iter           int // 0: the server makes the verifier
	}{
		{"ours", "pencil", 4096},
		{"ours_more", "correct horse, battery staple", 15001},
		{"theirs", "pencil", 0},
	}
	var create strings.Builder
	for _, r := range roles {
		stored := r.password
		if r.iter > 0 {
			stored = verifier(t, r.password, []byte("salt of "+r.name), r.iter)
		}
		fmt.Fprintf(&create, "CREATE ROLE %s LOGIN PASSWORD '%s';\n", r.name, stored)
	}
	dir := startPostgreSQL(t, create.String())
	for _, r := range roles {
		t.Run("psql/"+r.name, func(t *testing.T) {
			t.Setenv("PGPASSWORD", r.password)
			args := []string{"-X", "-w", "-A", "-t", "-h", dir, "-U", r.name, "-d", "postgres", "-c", "SELECT current_user"}
			if got := strings.TrimSpace(string(run(t, nil, psql, args...))); got != r.name {
				t.Errorf("logged in as %q", got)
			}
			t.Setenv("PGPASSWORD", r.password+"x")
			if out, err := exec.Command(psql, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "password authentication failed") {
				t.Errorf("with a wrong password: %v, %s", err, out)
			}
		})
		t.Run("lib-pq/"+r.name, func(t *testing.T) {
			db, err := sql.Open("postgres", fmt.Sprintf("host=%s user=%s password='%s' dbname=postgres sslmode=disable", dir, r.name, r.password))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var got string
			if err := db.QueryRowContext(t.Context(), "SELECT current_user").Scan(&got); err != nil || got != r.name {
				t.Errorf("logged in as %q, %v", got, err)
			}
		})
		t.Run("our-keys/"+r.name, func(t *testing.T) {
			if err := logIn(filepath.Join(dir, ".s.PGSQL.5432"), r.name, r.password); err != nil {
				t.Error(err)
			}
			if err := logIn(filepath.Join(dir, ".s.PGSQL.5432"), r.name, r.password+"x"); err == nil || !strings.Contains(err.Error(), "password authentication failed") {
				t.Errorf("with a wrong password: %v", err)
			}
		})
	}
}

// startPostgreSQL makes a cluster in a new directory, with the result of some SQL in it, and starts a server that listens on a Unix socket in that
// directory only, until the test ends.
func startPostgreSQL(t *testing.T, create string) (dir string) {
	t.Helper()
	bin := ""
	if path, err := exec.LookPath("initdb"); err == nil {
		bin = filepath.Dir(path)
	} else if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		bin = filepath.Dir(found[len(found)-1])
	} else {
		missing(t, "initdb")
	}
	says(t, filepath.Join(bin, "postgres"), "--version")
	dir, err := os.MkdirTemp("", "pbkdf2") // t.TempDir's names are too long for a socket, and its parent is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var as syscall.SysProcAttr
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			missing(t, "the user postgres")
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(dir, int(uid), int(gid))); err != nil {
			t.Fatal(err)
		}
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(dir, "data")
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(bin, name), args...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
		c.SysProcAttr = &as
		return c
	}
	if out, err := command("initdb", "-D", data, "-U", "admin", "-A", "reject", "-E", "UTF8", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	single := command("postgres", "--single", "-D", data, "postgres")
	single.Stdin = strings.NewReader(create)
	if out, err := single.CombinedOutput(); err != nil || bytes.Contains(out, []byte("ERROR")) {
		t.Fatalf("postgres --single: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte("local all all scram-sha-256\n"), 0o600); err != nil { // its owner stays
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := command("postgres", "-D", data, "-k", dir, "-F", "-c", "listen_addresses=", "-c", "shared_buffers=1MB", "-c", "max_connections=10")
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGQUIT) // at once
		<-ended
		if t.Failed() {
			t.Logf("the server's log:\n%s", &log)
		}
	})
	for range 600 {
		if c, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.5432")); err == nil {
			c.Close()
			return dir
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("postgres: %v\n%s", err, &log)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal("the server does not start")
	return ""
}

// logIn does the authentication of PostgreSQL's protocol (version 3.0, SASL) with SCRAM by github.com/xdg-go/scram, whose keys come from the shim,
// and so are ours. It returns nil when the server says that it is ready, and has shown that it knows the password as well.
func logIn(socket, role, password string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	client, err := scram.SHA256.NewClientUnprepped("", password, "") // the role is in the start message
	if err != nil {
		return err
	}
	conversation := client.NewConversation()
	var proved bool
	send := func(kind string, body []byte) error {
		m := binary.BigEndian.AppendUint32([]byte(kind), uint32(4+len(body)))
		_, err := conn.Write(append(m, body...))
		return err
	}
	start := fmt.Sprintf("\x00\x03\x00\x00user\x00%s\x00database\x00postgres\x00\x00", role)
	if err := send("", []byte(start)); err != nil {
		return err
	}
	for {
		var head [5]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(conn, body); err != nil {
			return err
		}
		switch head[0] {
		case 'E':
			return fmt.Errorf("the server says %q", body)
		case 'Z': // ready for a query
			if !proved {
				return errors.New("the server did not prove that it knows the password")
			}
			return nil
		case 'R':
		default: // parameters and the like
			continue
		}
		message := body[4:]
		switch kind := binary.BigEndian.Uint32(body); kind {
		case 0: // authenticated
		case 10: // the mechanisms
			first, err := conversation.Step("")
			if err != nil {
				return err
			}
			const mechanism = "SCRAM-SHA-256\x00"
			if !bytes.HasPrefix(message, []byte(mechanism)) {
				return fmt.Errorf("the mechanisms are %q", message)
			}
			answer := binary.BigEndian.AppendUint32([]byte(mechanism), uint32(len(first)))
			if err := send("p", append(answer, first...)); err != nil {
				return err
			}
		case 11: // the challenge
			proof, err := conversation.Step(string(message))
			if err != nil {
				return err
			}
			if err := send("p", []byte(proof)); err != nil {
				return err
			}
		case 12: // the server's signature
			if _, err := conversation.Step(string(message)); err != nil {
				return err
			}
			proved = conversation.Valid()
		default:
			return fmt.Errorf("authentication of kind %d", kind)
		}
	}
}
