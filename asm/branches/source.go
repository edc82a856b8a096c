// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
)

// A source is a Go file with a kernel: the compiler makes branches and addresses of conditions, loops and indices, and of nothing else in such code.
type source struct {
	fset   *token.FileSet
	info   *types.Info
	public map[types.Object]bool
	result
}

var (
	fset    = token.NewFileSet()
	imports = importer.ForCompiler(fset, "source", nil) // keeps what it has read
)

// analyseGo finds the conditions, ranges, indices and shifts in Go files of one package that depend on more than constants, lengths, the number of iterations, what counts a loop, and the padding.
func analyseGo(files map[string]string) (*result, error) {
	s := &source{fset, &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}, map[types.Object]bool{}, result{}}
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(s.fset, name, files[name], 0)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: imports}
	if _, err := config.Check("kernel", s.fset, parsed, s.info); err != nil {
		return nil, err
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool { s.visit(n); return true })
	}
	return &s.result, nil
}

// goKernels are the packages' files with Go code, by directory.
func goKernels(root string) (map[string]map[string]string, error) {
	packages := map[string]map[string]string{}
	for _, hash := range []string{"md5", "sha1", "sha256", "sha512"} {
		files := map[string]string{}
		for _, name := range []string{"block.go", "generic.go", "unrolled.go"} {
			path := root + "/internal/" + hash + "/" + name
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files[path] = string(text)
		}
		packages[hash] = files
	}
	return packages, nil
}

// visit looks at a node after all that contain it, and before what it contains.
func (s *source) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		for _, p := range n.Type.Params.List {
			for _, name := range p.Names {
				switch t := s.info.Defs[name].Type().Underlying().(type) {
				case *types.Basic:
					s.public[s.info.Defs[name]] = t.Kind() == types.Int // the number of iterations
				}
			}
		}
	case *ast.IfStmt:
		s.branch(n.Cond)
	case *ast.ForStmt:
		if a, ok := n.Init.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, x := range a.Lhs {
				if id, ok := x.(*ast.Ident); ok && s.info.Defs[id] != nil {
					s.public[s.info.Defs[id]] = s.isPublic(a.Rhs[i])
				}
			}
		}
		if n.Cond != nil {
			s.branch(n.Cond)
		}
	case *ast.RangeStmt:
		if id, ok := n.Key.(*ast.Ident); ok && s.info.Defs[id] != nil {
			s.public[s.info.Defs[id]] = true
		}
		if _, number := s.info.Types[n.X].Type.Underlying().(*types.Basic); number {
			s.branch(n.X)
		}
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.BranchStmt, *ast.FuncLit:
		s.fail(n, "the statement is not known")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && s.public[s.info.Uses[id]] && !(len(n.Rhs) == len(n.Lhs) && s.isPublic(n.Rhs[i])) {
					s.fail(n, "a counter is given what is not public")
				}
			}
		}
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			s.branch(n)
		case token.SHL, token.SHR:
			s.address(n.Y)
		case token.QUO, token.REM:
			if s.info.Types[n].Value == nil {
				s.fail(n, "a division")
			}
		}
	case *ast.IndexExpr:
		s.address(n.Index)
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{n.Low, n.High, n.Max} {
			if x != nil {
				s.address(x)
			}
		}
	}
}

func (s *source) branch(x ast.Expr) {
	s.branches = append(s.branches, s.at(x))
	if !s.isPublic(x) {
		s.fail(x, "branch on what is not public")
	}
}

func (s *source) address(x ast.Expr) {
	s.accesses++
	if !s.isPublic(x) {
		s.fail(x, "address from what is not public")
	}
}

func (s *source) at(n ast.Node) string {
	var text bytes.Buffer
	printer.Fprint(&text, s.fset, n)
	return fmt.Sprintf("%s: %s", s.fset.Position(n.Pos()), &text)
}

func (s *source) fail(n ast.Node, what string) {
	s.errors = append(s.errors, s.at(n)+": ERROR: "+what)
}

// isPublic tells whether an expression does not depend on a secret.
func (s *source) isPublic(x ast.Expr) bool {
	if s.info.Types[x].Value != nil {
		return true // a constant
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.isPublic(x.X)
	case *ast.UnaryExpr:
		return s.isPublic(x.X)
	case *ast.BinaryExpr:
		return s.isPublic(x.X) && s.isPublic(x.Y)
	case *ast.Ident:
		return s.public[s.info.Uses[x]]
	case *ast.SelectorExpr: // the padding is a constant of each hash
		p, ok := s.info.Types[x.X].Type.(*types.Pointer)
		return ok && p.Elem().String() == "kernel.padding"
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		if !ok {
			return false
		}
		_, builtin := s.info.Uses[id].(*types.Builtin)
		return builtin && id.Name == "len"
	}
	return false
}
