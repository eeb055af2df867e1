package sheet

import (
	"fmt"
	"strings"
)

// The files of a spreadsheet besides its sheets. The files that name the sheets are written last,
// when their number is known.

const (
	xmlHeader         = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS            = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relationshipNS    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packageNS         = `http://schemas.openxmlformats.org/package/2006/`
	contentTypePrefix = `application/vnd.openxmlformats-officedocument.spreadsheetml.`

	rootRelationships = xmlHeader + `<Relationships xmlns="` + packageNS + `relationships">` +
		`<Relationship Id="rId1" Type="` + relationshipNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`
)

// The styles that cells name by their number in cellXfs.
const (
	stylePlain = iota
	styleTime
	styleBold
	// For texts that would become formulas if somebody edits the cell: spreadsheets then show an
	// apostrophe before them, and they stay texts.
	styleQuotePrefix
	styleBoldQuotePrefix
)

const styles = xmlHeader + `<styleSheet xmlns="` + mainNS + `">` +
	`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>` +
	`<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
	`<fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>` +
	`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" quotePrefix="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

func (b *Book) workbook() string {
	var s strings.Builder
	s.WriteString(xmlHeader + `<workbook xmlns="` + mainNS + `" xmlns:r="` + relationshipNS + `"><sheets>`)
	for _, p := range b.sheets {
		fmt.Fprintf(&s, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, appendText(nil, p.name), p.number, p.number)
	}
	s.WriteString(`</sheets></workbook>`)
	return s.String()
}

func (b *Book) relationships() string {
	var s strings.Builder
	s.WriteString(xmlHeader + `<Relationships xmlns="` + packageNS + `relationships">`)
	for _, p := range b.sheets {
		fmt.Fprintf(
			&s,
			`<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`,
			p.number,
			relationshipNS,
			p.number,
		)
	}
	fmt.Fprintf(
		&s,
		`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`,
		len(b.sheets)+1,
		relationshipNS,
	)
	return s.String()
}

func (b *Book) contentTypes() string {
	var s strings.Builder
	s.WriteString(xmlHeader + `<Types xmlns="` + packageNS + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + contentTypePrefix + `sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + contentTypePrefix + `styles+xml"/>`)
	for _, p := range b.sheets {
		fmt.Fprintf(
			&s,
			`<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`,
			p.number,
			contentTypePrefix,
		)
	}
	s.WriteString(`</Types>`)
	return s.String()
}
