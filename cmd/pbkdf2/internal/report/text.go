// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeText writes tables in columns, numbers to the right.
func writeText(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Tables {
		t := &r.Tables[i]
		fmt.Fprintf(&b, "%s\n\n", t.Title)
		writeColumns(&b, t)
		b.WriteByte('\n')
		for _, n := range t.Notes {
			fmt.Fprintln(&b, n)
		}
		if len(t.Notes) > 0 {
			b.WriteByte('\n')
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, n)
	}
	for _, c := range r.circumstances() {
		fmt.Fprintf(&b, "%-8s %s\n", c[0]+":", c[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeColumns writes the table alone.
func writeColumns(b *strings.Builder, t *Table) {
	cols := t.brief()
	lines := make([][]string, 1+len(t.Rows))
	widths := make([]int, len(cols))
	for i, c := range cols {
		lines[0] = append(lines[0], c.Head)
		for j, row := range t.Rows {
			lines[1+j] = append(lines[1+j], c.format(row[c.Key]))
		}
		for _, l := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(l[i]))
		}
	}
	for _, l := range lines {
		var line strings.Builder
		for i, cell := range l {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.numeric(cols[i].Key) {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
			line.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
