// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Wpa2 derives the key of a WPA2 network (IEEE 802.11 §J.4: PBKDF2 with HMAC-SHA-1, 4096 iterations, the network's name as salt) for each
// passphrase of a word list, to find out whether one's own network would withstand that list:
//
//	go run ./examples/wpa2 -ssid home < words.txt
//
// It writes a line with the key and the passphrase for each word that can be a passphrase, and its progress to standard error. An interrupt ends it; the
// keys that are complete are written all the same.
package main

import (
	"bufio"
	"context"
	"crypto/sha1"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/fastkdf/pbkdf2"
)

const (
	iterations = 4096
	keyLength  = 32
	atOnce     = 1 << 16 // words whose keys one Batch derives, so that memory does not grow with the list
)

func main() {
	ssid := flag.String("ssid", "", "the network's `name`, 1 to 32 bytes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdin, os.Stdout, os.Stderr, *ssid); err != nil {
		fmt.Fprintln(os.Stderr, "wpa2:", err)
		os.Exit(1)
	}
}

// run reads words from r, one a line, and writes keys to w and progress to status.
func run(ctx context.Context, r io.Reader, w, status io.Writer, ssid string) error {
	if len(ssid) < 1 || len(ssid) > 32 {
		return errors.New("a network's name has 1 to 32 bytes; give it with -ssid")
	}
	words := bufio.NewScanner(r)
	out := bufio.NewWriter(w)
	written := 0
	for {
		jobs := read(words, ssid)
		if len(jobs) == 0 {
			break
		}
		err := pbkdf2.Batch(ctx, sha1.New, jobs, &pbkdf2.BatchOptions{
			Progress: func(done, total uint64) {
				fmt.Fprintf(status, "\r%d keys and %3d %% of %d more", written, 100*done/total, len(jobs))
			},
		})
		for _, j := range jobs {
			if j.Done {
				fmt.Fprintf(out, "%x %s\n", j.Key, j.Password)
				written++
			}
		}
		if err := errors.Join(err, out.Flush()); err != nil {
			fmt.Fprintln(status)
			return err
		}
	}
	fmt.Fprintf(status, "\r%d keys, on %s%20s\n", written, pbkdf2.Implementation(sha1.New), "")
	return words.Err()
}

// read makes jobs of the next words that can be passphrases, those of 8 to 63 bytes.
func read(words *bufio.Scanner, ssid string) []pbkdf2.Job {
	var jobs []pbkdf2.Job
	for len(jobs) < atOnce && words.Scan() {
		if word := words.Text(); len(word) >= 8 && len(word) <= 63 {
			jobs = append(jobs, pbkdf2.Job{Password: []byte(word), Salt: []byte(ssid), Iter: iterations, Key: make([]byte, keyLength)})
		}
	}
	return jobs
}
