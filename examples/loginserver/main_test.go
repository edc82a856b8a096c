// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const iterations = 1000

// start makes a file of users with the passwords "password of " + name, a server for it, and the base address of a listener on the loopback
// interface.
func start(t *testing.T, users ...string) (*server, string) {
	file := filepath.Join(t.TempDir(), "users.txt")
	for i, name := range users {
		if err := addUser(file, name, strings.NewReader("password of "+name+"\n"), iterations+i); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := readUsers(f)
	if err != nil || len(all) != len(users) {
		t.Fatalf("%d users, %v", len(all), err)
	}
	s, err := newServer(all, iterations)
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	return s, listener.URL
}

// login returns the status of a log-in.
func login(ctx context.Context, base, name, password string) (int, error) {
	form := url.Values{"name": {name}, "password": {password}}
	r, err := http.NewRequestWithContext(ctx, "POST", base+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// TestConcurrent has 64 clients at once, each with right and wrong passwords and with a name that does not exist.
func TestConcurrent(t *testing.T) {
	var names []string
	for i := range 16 {
		names = append(names, fmt.Sprint("user", i))
	}
	_, base := start(t, names...)
	count := 64
	if testing.Short() {
		count = 16
	}
	var clients sync.WaitGroup
	for i := range count {
		clients.Go(func() {
			name := names[i%len(names)]
			for _, test := range []struct {
				name, password string
				want           int
			}{
				{name, "password of " + name, http.StatusOK},
				{name, "password of " + names[(i+1)%len(names)], http.StatusUnauthorized},
				{name, "", http.StatusUnauthorized},
				{"nobody", "", http.StatusUnauthorized}, // the password of server.nobody
				{name, "password of " + name, http.StatusOK},
			} {
				if got, err := login(context.Background(), base, test.name, test.password); err != nil || got != test.want {
					t.Errorf("%s with %q: %d, %v, want %d", test.name, test.password, got, err, test.want)
				}
			}
		})
	}
	clients.Wait()
}

// TestOverload fills the server with one log-in that takes very long, sees others refused, and that it is free again when the client has gone.
func TestOverload(t *testing.T) {
	s, base := start(t, "alice")
	slow := *s.users["alice"]
	slow.iterations = maxIterations
	s.users["slow"] = &slow
	s.pool.MaxPending = 1
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	gone := make(chan error, 1)
	go func() {
		for { // it may find the server busy with alice
			status, err := login(ctx, base, "slow", "password of alice")
			if status != http.StatusServiceUnavailable {
				gone <- err
				return
			}
		}
	}()
	until(t, base, http.StatusServiceUnavailable)
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the slow client's error is %v", err)
	}
	until(t, base, http.StatusOK)
}

// until logs alice in until the status is the one that is wanted.
func until(t *testing.T, base string, want int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		got, err := login(context.Background(), base, "alice", "password of alice")
		if err != nil {
			t.Fatal(err)
		}
		if got == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the status is %d, want %d", got, want)
		}
	}
}

func TestBadRequests(t *testing.T) {
	_, base := start(t, "alice")
	if got, err := login(context.Background(), base, "alice", strings.Repeat("x", 1<<13)); err != nil || got != http.StatusBadRequest {
		t.Errorf("a long password: %d, %v", got, err)
	}
	answer, err := http.Get(base + "/login")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", answer.StatusCode)
	}
}

func TestVerifier(t *testing.T) {
	v, err := newVerifier("password", 10)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := parseVerifier(v.String()); err != nil || back.String() != v.String() {
		t.Errorf("%v became %v, %v", v, back, err)
	}
	for _, bad := range []string{
		"", "x", "$pbkdf2-sha256$i=1", "$pbkdf2-sha256$i=1000$AAAAAAAAAAA$", "$pbkdf2-sha256$i=0$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
		"$pbkdf2-sha256$i=99999999$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "$pbkdf2-sha512$i=1000$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
		"$pbkdf2-sha256$i=1000$$AAAAAAAAAAAAAAAAAAAAAA", "$pbkdf2-sha256$i=1000$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAA=A",
	} {
		if v, err := parseVerifier(bad); err == nil {
			t.Errorf("%q is %v", bad, v)
		}
	}
}
