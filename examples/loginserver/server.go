// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log"
	"net/http"

	"github.com/fastkdf/pbkdf2"
)

// A server answers log-ins.
type server struct {
	http.ServeMux
	users map[string]*verifier // not changed any more
	// nobody stands for users that do not exist, so that the time of an answer does not tell who does. It hides that from a user with another iteration
	// count less well: stored hashes should be brought to the current count at their owner's next log-in.
	nobody *verifier
	pool   pbkdf2.Pool
}

// newServer makes a server for users, most of which have this iteration count.
func newServer(users map[string]*verifier, iterations int) (*server, error) {
	s := &server{users: users}
	s.pool.MaxIter = maxIterations
	s.pool.MaxPending = 1000 // with 600 000 iterations each they wait some ten seconds; more would wait in vain
	var err error
	if s.nobody, err = newVerifier("", iterations); err != nil {
		return nil, err
	}
	s.HandleFunc("POST /login", s.login)
	return s, nil
}

// login answers 200 for the right password and 401 for a wrong one or an unknown name, without a difference between the two.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<12)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "not a log-in", http.StatusBadRequest)
		return
	}
	v, known := s.users[r.PostForm.Get("name")]
	if !known {
		v = s.nobody
	}
	right, err := s.verify(r.Context(), v, r.PostForm.Get("password"))
	switch {
	case errors.Is(err, pbkdf2.ErrBusy):
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many log-ins at the moment", http.StatusServiceUnavailable)
	case err != nil && r.Context().Err() != nil: // the client has gone
	case err != nil:
		log.Printf("login: %v", err) // such as a count above MaxIter; says nothing of the password
		http.Error(w, "cannot check passwords", http.StatusInternalServerError)
	case !right || !known:
		http.Error(w, "wrong name or password", http.StatusUnauthorized)
	default: // a real server would start a session here
		w.Write([]byte("welcome\n"))
	}
}

// verify says whether it is v's password.
func (s *server) verify(ctx context.Context, v *verifier, password string) (bool, error) {
	key, err := s.pool.Key(ctx, sha256.New, password, v.salt, v.iterations, len(v.key))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key, v.key) == 1, nil
}
