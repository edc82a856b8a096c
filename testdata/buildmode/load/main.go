// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command load opens the plugin that it is given, has it derive keys, and prints what they were derived on. It does not import the library: the
// plugin would take this program's code then.
package main

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"plugin"
)

func main() {
	log.SetFlags(0)
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	symbol := func(name string) plugin.Symbol {
		s, err := p.Lookup(name)
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	want, err := pbkdf2.Key(sha256.New, "password", []byte("salt"), 1000, 100)
	if err != nil {
		log.Fatal(err)
	}
	got, err := symbol("Key").(func(string, []byte, int, int) ([]byte, error))("password", []byte("salt"), 1000, 100)
	if err != nil || !bytes.Equal(got, want) {
		log.Fatalf("got %x, %v, want %x", got, err, want)
	}
	if err := symbol("Check").(func() error)(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(symbol("Implementation").(func() string)())
}
