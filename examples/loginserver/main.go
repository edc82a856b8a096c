// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Loginserver is an HTTP server that checks passwords against stored PBKDF2 hashes. Requests that come at the same time share the CPU's vector lanes
// through a [pbkdf2.Pool]. There is a limit on how many may wait, above which a client is asked to come back, and a client that goes away
// no longer costs anything.
//
//	go run ./examples/loginserver -users users.txt -add alice    # reads a password, adds a line to the file
//	go run ./examples/loginserver -users users.txt               # listens on localhost:8080
//	curl -d name=alice -d password=secret localhost:8080/login   # 200, 401, or 503 when there is too much to do
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/fastkdf/pbkdf2"
)

func main() {
	file := flag.String("users", "users.txt", "`file` of names and hashes")
	add := flag.String("add", "", "add the user with this `name`, and the password on standard input, to the file")
	iterations := flag.Int("iter", 600_000, "iterations of a new user's hash")
	address := flag.String("listen", "localhost:8080", "listen on this `address`")
	flag.Parse()
	var err error
	if *add != "" {
		err = addUser(*file, *add, os.Stdin, *iterations)
	} else {
		err = serve(*address, *file, *iterations)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loginserver:", err)
		os.Exit(1)
	}
}

// addUser adds a line to the file.
func addUser(file, name string, in io.Reader, iterations int) error {
	if strings.ContainsAny(name, " \r\n") {
		return errors.New("a name has no spaces")
	}
	password, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	v, err := newVerifier(strings.TrimRight(password, "\r\n"), iterations)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, name, v)
	return errors.Join(err, f.Close())
}

// newVerifier makes what is stored of a new password.
func newVerifier(password string, iterations int) (*verifier, error) {
	v := &verifier{iterations: iterations, salt: make([]byte, 16)}
	rand.Read(v.salt)
	var err error
	v.key, err = pbkdf2.Key(sha256.New, password, v.salt, iterations, sha256.Size)
	return v, err
}

// readUsers reads lines of a name and a hash.
func readUsers(r io.Reader) (map[string]*verifier, error) {
	users := map[string]*verifier{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, stored, _ := strings.Cut(lines.Text(), " ")
		v, err := parseVerifier(stored)
		if err != nil {
			return nil, fmt.Errorf("user %q: %w", name, err)
		}
		users[name] = v
	}
	return users, lines.Err()
}

// serve serves until it is interrupted.
func serve(address, file string, iterations int) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	users, err := readUsers(f)
	f.Close()
	if err != nil {
		return err
	}
	s, err := newServer(users, iterations)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: s, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	end := make(chan error, 1)
	go func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		end <- server.Shutdown(late)
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return <-end
}
