// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package report holds tables of measurements and writes them in several
// formats. It knows nothing of what was measured.
package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Report is some tables and the circumstances that they hold for.
type Report struct {
	Tables  []Table  `json:"tables"`
	Notes   []string `json:"notes,omitempty"` // what is missing, and why
	CPU     string   `json:"cpu"`
	System  string   `json:"system"`
	Go      string   `json:"go"`
	Date    string   `json:"date"`
	Command string   `json:"command"`
}

// A Table is rows of values under named columns.
type Table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	Charts  []Chart  `json:"charts,omitempty"`
	Notes   []string `json:"notes,omitempty"` // how to read it
}

// A Row maps the keys of columns to numbers (float64) or text (string). A key
// that is absent is an empty cell.
type Row map[string]any

// A Column is one column of a table.
type Column struct {
	Key    string `json:"key"`
	Head   string `json:"head"`
	Label  string `json:"label,omitempty"`  // what charts call it, if not by its heading
	Unit   string `json:"unit,omitempty"`   // written right behind each number
	Digits int    `json:"digits,omitempty"` // after the decimal point
	Detail bool   `json:"detail,omitempty"` // left out where space is short: in text and Markdown
}

// A Chart draws some columns of a table as horizontal bars.
type Chart struct {
	Title string   `json:"title"`
	Panel []string `json:"panel,omitempty"` // keys: rows with the same values share a scale and a heading
	Group string   `json:"group"`           // key: the label of a row's bars
	Bars  []string `json:"bars"`            // keys of the numbers to draw; the first is what the others are compared with
}

// Formats are the names that Write knows.
var Formats = []string{"text", "markdown", "json", "csv", "svg"}

// Write writes r to w in the format with that name.
func Write(w io.Writer, r *Report, format string) error {
	switch format {
	case "text":
		return writeText(w, r)
	case "markdown":
		return writeMarkdown(w, r)
	case "json":
		return writeJSON(w, r)
	case "csv":
		return writeCSV(w, r)
	case "svg":
		return writeSVG(w, r)
	}
	return fmt.Errorf("unknown format %q; there are %s", format, strings.Join(Formats, ", "))
}

// column returns the column with that key.
func (t *Table) column(key string) Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		return Column{Key: key, Head: key}
	}
	return t.Columns[i]
}

// brief returns the columns that are no details.
func (t *Table) brief() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Detail })
}

// numeric reports whether a column holds a number in some row.
func (t *Table) numeric(key string) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { _, ok := r[key].(float64); return ok })
}

// format returns a cell for people to read.
func (c Column) format(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'f', c.Digits, 64) + c.Unit
	default:
		return fmt.Sprint(v)
	}
}

// circumstances returns what stands under the tables, a label and a text each.
func (r *Report) circumstances() [][2]string {
	return [][2]string{
		{"CPU", r.CPU},
		{"System", r.System},
		{"Go", r.Go},
		{"Date", r.Date},
		{"Command", r.Command},
	}
}
