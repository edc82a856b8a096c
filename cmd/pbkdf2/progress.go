// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"io"

	"github.com/cheggaaa/pb/v3"
)

// A progress is a bar on a terminal; elsewhere it shows nothing.
type progress struct{ bar *pb.ProgressBar }

// newProgress starts a bar for a number of steps if w is a terminal.
func newProgress(w io.Writer, steps int) *progress {
	if _, ok := terminal(w); !ok {
		return &progress{}
	}
	bar := pb.ProgressBarTemplate(`{{string . "what"}} {{bar . }} {{percent . }} {{rtime . "%s left" "%s"}}`).New(steps)
	return &progress{bar.SetWriter(w).Set(pb.CleanOnFinish, true).SetMaxWidth(100).Start()}
}

// show says what is being done.
func (p *progress) show(what string) {
	if p.bar != nil {
		p.bar.Set("what", what)
	}
}

// step counts steps done.
func (p *progress) step(n int) {
	if p.bar != nil {
		p.bar.Add(n)
	}
}

// finish removes the bar.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
