package selfservice

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const (
	mostLongitude = 180
	mostLatitude  = 90
)

// Imported is a device of a table. In a dry run it has no device name and no secret.
type Imported struct {
	Line     int
	NoteName string
	Made
}

// tableRow is a line of a table as it is to be stored.
type tableRow struct {
	line    int
	form    Form
	product *device.Product
	scene   string // its name
}

// Import adds the devices of a table, all or none; a dry run adds none. If wrong has entries, nothing was
// added.
func (s *Service) Import(
	ctx context.Context,
	t tenant.ID,
	table string,
	dryRun bool,
) (created []Imported, wrong []LineError, err error) {
	if err := s.countChange(t); err != nil {
		return nil, nil, err
	}
	lines, wrong := readTable(table)
	if lines == nil {
		return nil, wrong, nil
	}
	if dryRun { // it keeps nobody from writing
		rows, found, err := s.readRows(ctx, t, lines)
		if wrong = inOrder(append(wrong, found...)); err != nil || len(wrong) > 0 {
			return nil, wrong, err
		}
		return imported(rows), nil, nil
	}
	var list []*addition
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		rows, found, err := s.readRows(ctx, t, lines)
		if wrong = append(wrong, found...); err != nil || len(wrong) > 0 {
			return err
		}
		names, err := s.newNames(ctx, len(rows))
		if err != nil {
			return err
		}
		created, list = imported(rows), make([]*addition, len(rows))
		for i := range rows {
			r := &rows[i]
			list[i] = s.addition(&r.form, r.product, device.OriginConsole, r.scene, names[i])
			created[i].Made = Made{list[i].Name, list[i].secret}
		}
		return s.store(ctx, t, list)
	})
	if err != nil || len(wrong) > 0 {
		return nil, inOrder(wrong), err
	}
	return created, nil, s.load(ctx, t, list)
}

func inOrder(wrong []LineError) []LineError {
	slices.SortStableFunc(wrong, func(a, b LineError) int { return a.Line - b.Line })
	return wrong
}

// imported gives rows as they are answered, without names and secrets yet.
func imported(rows []tableRow) []Imported {
	list := make([]Imported, len(rows))
	for i := range rows {
		list[i] = Imported{Line: rows[i].line, NoteName: rows[i].form.NoteName}
	}
	return list
}

// readRows reads lines, and says what is wrong with them.
func (s *Service) readRows(
	ctx context.Context,
	t tenant.ID,
	lines []tableLine,
) (rows []tableRow, wrong []LineError, err error) {
	offer, err := s.Offer(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	scenes, err := s.Scenes.List(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	reader := rowReader{offer: offer, scenes: scenes}
	for i := range lines {
		rows = append(rows, reader.read(&lines[i]))
	}
	var noteNames, serials []string
	for i := range rows {
		noteNames = append(noteNames, rows[i].form.NoteName)
		if serial := rows[i].form.Serial; serial != "" {
			serials = append(serials, serial)
		}
	}
	byNoteName, bySerial, err := s.Devices.NamedAlike(ctx, t, noteNames, serials)
	if err != nil {
		return nil, nil, err
	}
	inTable := map[string]int{}
	for i := range rows {
		f := &rows[i].form
		if err := taken(f, byNoteName, bySerial); err != nil {
			reader.refuse(rows[i].line, errs.As(err).Field, errs.As(err))
		}
		for column, value := range map[string]string{columnNoteName: f.NoteName, columnSerial: f.Serial} {
			key := column + "\x00" + value
			if first := inTable[key]; first > 0 && value != "" {
				reader.refuse(rows[i].line, column, errs.New(errs.Refused, "import.twice", "line", itoa(first)))
			} else {
				inTable[key] = rows[i].line
			}
		}
	}
	if err := offer.admit(len(lines)); err != nil {
		reader.refuse(lines[0].number, "", errs.As(err))
	}
	return rows, reader.wrong, nil
}

// rowReader reads lines and gathers what is wrong with them.
type rowReader struct {
	offer  *Offer
	scenes []device.Scene
	wrong  []LineError
}

func (r *rowReader) refuse(line int, column string, err *errs.Error) {
	r.wrong = append(r.wrong, LineError{line, column, err.WithField("")})
}

// read reads a line.
func (r *rowReader) read(l *tableLine) tableRow {
	row := tableRow{line: l.number}
	f := &row.form
	f.NoteName, f.Serial = l.cells[columnNoteName], l.cells[columnSerial]
	longitude, wrongLongitude := l.degrees(columnLongitude, mostLongitude)
	latitude, wrongLatitude := l.degrees(columnLatitude, mostLatitude)
	switch {
	case wrongLongitude != nil:
		r.refuse(l.number, columnLongitude, wrongLongitude)
	case wrongLatitude != nil:
		r.refuse(l.number, columnLatitude, wrongLatitude)
	default:
		f.Longitude, f.Latitude = longitude, latitude
	}
	if err := f.check(); err != nil {
		// Only the refusal of an empty name has no field.
		r.refuse(l.number, cmp.Or(errs.As(err).Field, columnNoteName), errs.As(err))
	}
	r.readProduct(l, &row)
	r.readScene(l, &row)
	return row
}

// readProduct finds the product by the provider's name or by the name in any language.
func (r *rowReader) readProduct(l *tableLine, row *tableRow) {
	cell := text.Fold(l.cells[columnProduct])
	if cell == "" {
		r.refuse(l.number, columnProduct, errs.New(errs.Refused, "invalid.required"))
		return
	}
	for _, p := range r.offer.Products {
		named := text.Fold(p.Name) == cell
		for _, name := range p.Names {
			named = named || text.Fold(name) == cell
		}
		if named {
			row.product, row.form.ProductID = p, p.ID
			return
		}
	}
	r.refuse(l.number, columnProduct, errs.New(errs.Refused, "device.productNotOffered"))
}

func (r *rowReader) readScene(l *tableLine, row *tableRow) {
	cell := text.Fold(l.cells[columnScene])
	if cell == "" {
		return
	}
	for i := range r.scenes {
		if text.Fold(r.scenes[i].Name) != cell {
			continue
		}
		row.form.SceneID, row.scene = r.scenes[i].ID, r.scenes[i].Name
		if r.scenes[i].Status == device.SceneForbidden {
			r.refuse(l.number, columnScene, errs.New(errs.Refused, "scene.forbidden", "scene", r.scenes[i].Name))
		}
		return
	}
	r.refuse(l.number, columnScene, errs.New(errs.Refused, "import.sceneUnknown"))
}
