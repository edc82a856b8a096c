// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes of a chart, in pixels. Every bar has its name to its left and its
// value to its right, so that no legend is needed.
const (
	svgWidth  = 760
	svgMargin = 16
	barX      = 270           // where bars begin
	barW      = 370           // the longest bar
	barH      = 13            // a bar's height
	barStep   = 18            // from one bar to the next
	groupGap  = 8             // between groups
	lineStep  = 17            // from one line of text to the next
	noteChars = svgWidth / 7  // characters in a line of text below the charts
	nameX     = barX - 8      // right end of the bars' names
	textX     = svgMargin + 4 // left end of text
)

// The colours are legible on white and on black; where the viewer says which
// of the two it shows, contrast is higher still.
const svgStyle = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #6e7781; }
  .title { font-size: 15px; font-weight: 600; }
  .panel { font-size: 13px; font-weight: 600; }
  .group { font-weight: 600; }
  .base { fill: #8c959f; }
  .ours { fill: #2f81f7; }
  @media (prefers-color-scheme: light) { text { fill: #24292f; } .ours { fill: #0969da; } }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de; } .ours { fill: #58a6ff; } }
`

// An svg is a picture that grows downwards.
type svg struct {
	body strings.Builder
	y    int
}

// writeSVG writes all charts of all tables below each other, and the
// circumstances below them.
func writeSVG(w io.Writer, r *Report) error {
	s := &svg{y: svgMargin}
	var titles []string
	for i := range r.Tables {
		titles = append(titles, r.Tables[i].Title)
		for _, c := range r.Tables[i].Charts {
			s.chart(&r.Tables[i], c)
		}
	}
	for _, c := range r.circumstances() {
		for _, l := range wrap(c[0]+": "+c[1], noteChars) {
			s.y += lineStep
			s.text(textX, "", "start", l)
		}
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>%[3]s</title>
<style>%[4]s</style>
%[5]s</svg>
`, svgWidth, s.y+svgMargin, html.EscapeString(strings.Join(titles, "; ")), svgStyle, s.body.String())
	return err
}

// text writes at the current height.
func (s *svg) text(x int, class, anchor, text string) {
	fmt.Fprintf(&s.body, `<text x="%d" y="%d" class="%s" text-anchor="%s">%s</text>`+"\n", x, s.y, class, anchor, html.EscapeString(text))
}

// chart draws one chart, a panel for each value of its panel's columns.
func (s *svg) chart(t *Table, c Chart) {
	s.y += lineStep
	s.text(textX, "title", "start", c.Title)
	s.y += lineStep / 2
	for rows := t.Rows; len(rows) > 0; {
		heading := c.heading(t, rows[0])
		n := 1
		for n < len(rows) && c.heading(t, rows[n]) == heading {
			n++
		}
		if heading != "" {
			s.y += lineStep + 2
			s.text(textX, "panel", "start", heading)
			s.y += lineStep / 2
		}
		s.panel(t, c, rows[:n])
		rows = rows[n:]
	}
	s.y += lineStep
}

// heading returns the heading of the panel that a row belongs to.
func (c Chart) heading(t *Table, row Row) string {
	var parts []string
	for _, key := range c.Panel {
		parts = append(parts, t.column(key).label(row[key]))
	}
	return strings.Join(parts, ", ")
}

// label returns a value with its column's heading if it is a bare number:
// "1 goroutine", "2 goroutines".
func (c Column) label(v any) string {
	switch n, ok := v.(float64); {
	case !ok || c.Unit != "":
		return c.format(v)
	case n == 1:
		return c.format(v) + " " + strings.TrimSuffix(c.Head, "s")
	}
	return c.format(v) + " " + c.Head
}

// panel draws rows on one scale.
func (s *svg) panel(t *Table, c Chart, rows []Row) {
	longest := 0.0
	for _, row := range rows {
		for _, key := range c.Bars {
			if v, ok := row[key].(float64); ok {
				longest = max(longest, v)
			}
		}
	}
	for _, row := range rows {
		first := true
		for i, key := range c.Bars {
			v, ok := row[key].(float64)
			if !ok {
				continue
			}
			s.y += barStep
			if first {
				s.text(textX, "group", "start", t.column(c.Group).label(row[c.Group]))
				first = false
			}
			col := t.column(key)
			s.text(nameX, "", "end", cmp.Or(col.Label, col.Head))
			class := "ours"
			if i == 0 {
				class = "base"
			}
			length := 0.0
			if longest > 0 {
				length = v / longest * barW
			}
			fmt.Fprintf(&s.body, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" class="%s"/>`+"\n", barX, s.y-barH+2, max(length, 1), barH, class)
			s.text(barX+int(length)+6, "", "start", col.format(v))
		}
		s.y += groupGap
	}
}

// wrap breaks text into lines of at most n characters at spaces; a longer word
// has a line of its own.
func wrap(s string, n int) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= n {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
