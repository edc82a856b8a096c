// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"crypto/fips140"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/fastkdf/pbkdf2"
	"github.com/fastkdf/pbkdf2/internal/kernelinfo"
)

const infoAbout = `
Usage: pbkdf2 info

Prints the CPU, its features that matter here, the implementation that a single
derivation with each hash runs on, and every kernel with the reason why it is
used or not. GODEBUG=cpu.avx2=off and the like switch features off.
`

// runInfo is the command info.
func runInfo(c *cli, args []string) error {
	if err := parse(flag.NewFlagSet("info", flag.ContinueOnError), infoAbout, args); err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "CPU:\t%s\n", cpuName())
	fmt.Fprintf(w, "System:\t%s\n", system())
	fmt.Fprintf(w, "Go:\t%s\n", runtime.Version())
	fmt.Fprintf(w, "Library:\t%s\n", libraryVersion())
	if v := os.Getenv("GODEBUG"); v != "" {
		fmt.Fprintf(w, "GODEBUG:\t%s\n", v)
	}
	fmt.Fprintf(w, "FIPS 140:\t%s\n", onOff(fips140.Enabled()))
	if features := kernelinfo.Features(); len(features) > 0 {
		fmt.Fprintf(w, "\nFEATURE\tUSABLE\tWHY NOT\n")
		for _, f := range features {
			fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, yesNo(f.Have), f.Reason)
		}
	}
	fmt.Fprintf(w, "\nHASH\tA SINGLE DERIVATION RUNS ON\n")
	for _, h := range hashes {
		fmt.Fprintf(w, "%s\t%s\n", h.name, pbkdf2.Implementation(h.new))
	}
	if rows := kernelinfo.Rows(); len(rows) > 0 {
		fmt.Fprintf(w, "\nA chain is one block of one key; Batch, Pool and long keys advance several side by side.\n")
		fmt.Fprintf(w, "Cost is the time of one compression on all lanes, in cycles of a CPU of this kind.\n")
		fmt.Fprintf(w, "\nKERNEL\tLANES\tCOST\tNEEDS\tUSED\tREASON\n")
		for _, r := range rows {
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", r.Name, r.Lanes, r.Cost, dash(r.Needs), yesNo(r.Used), r.Reason)
		}
	} else {
		fmt.Fprintf(w, "\nThis build has no kernels of its own.\n")
	}
	return w.Flush()
}

// libraryVersion returns the version of package pbkdf2 in this binary, and the
// commit if the build recorded it.
func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := "built from source"
	for _, m := range info.Deps {
		if m.Path == libraryPath && m.Replace == nil && m.Version != "(devel)" {
			version = m.Version
		}
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version += ", commit " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			version += ", modified"
		case s.Key == "-tags" || s.Key == "-race" || s.Key == "-gcflags":
			version += ", " + strings.TrimSuffix(s.Key+"="+s.Value, "=true")
		}
	}
	return version
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// dash fills an empty cell.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
