package bench

// Progress is told how far a measurement is. One goroutine at a time calls it.
type Progress interface {
	// Stage begins a stage of so many steps, and ends the one before.
	Stage(name string, steps int)
	// Step tells that steps of the stage are done, since the last call.
	Step(steps int)
}
