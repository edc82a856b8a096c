// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"io"
	"strings"
)

// writeMarkdown writes tables as GitHub's Markdown has them.
func writeMarkdown(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Tables {
		t := &r.Tables[i]
		fmt.Fprintf(&b, "**%s**\n\n", cell(t.Title))
		cols := t.brief()
		for _, c := range cols {
			fmt.Fprintf(&b, "| %s ", cell(c.Head))
		}
		b.WriteString("|\n")
		for _, c := range cols {
			if t.numeric(c.Key) {
				b.WriteString("|---:")
			} else {
				b.WriteString("|:---")
			}
		}
		b.WriteString("|\n")
		for _, row := range t.Rows {
			for _, c := range cols {
				fmt.Fprintf(&b, "| %s ", cell(c.format(row[c.Key])))
			}
			b.WriteString("|\n")
		}
		b.WriteByte('\n')
		if len(t.Notes) > 0 {
			fmt.Fprintf(&b, "%s\n\n", cell(strings.Join(t.Notes, " ")))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s\n\n", cell(n))
	}
	fmt.Fprintf(&b, "%s; %s; %s; %s; `%s`\n", cell(r.CPU), cell(r.System), cell(r.Go), cell(r.Date), r.Command)
	_, err := io.WriteString(w, b.String())
	return err
}

// cell escapes what would end a cell or start a tag.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(s)
}
