package afpwire

import (
	"errors"
	"fmt"
)

// Result is the code in the header of each reply. Results are errors, but for
// ResultNoErr.
type Result int32

// The results ("Result Codes").
const (
	ResultNoErr             Result = 0
	ResultNoMoreSessions    Result = -1068 // the server takes no more sessions
	ResultASPSessClosed     Result = -1072 // the session is closed
	ResultAccessDenied      Result = -5000 // the user may not do this
	ResultAuthContinue      Result = -5001 // the login goes on with LoginCont
	ResultBadUAM            Result = -5002 // the server does not offer this login method
	ResultBadVersNum        Result = -5003 // the server does not speak this version
	ResultBitmapErr         Result = -5004 // a bit that this command has no use for, or none
	ResultCantMove          Result = -5005 // a folder can't move into itself
	ResultDenyConflict      Result = -5006 // another open forbids this one
	ResultDirNotEmpty       Result = -5007
	ResultDiskFull          Result = -5008
	ResultEOFErr            Result = -5009 // the end of the fork, or of the matches
	ResultFileBusy          Result = -5010 // the file is open
	ResultFlatVol           Result = -5011 // the volume has no folders
	ResultItemNotFound      Result = -5012 // no such icon, comment, id or, since AFP 3.4, extended attribute
	ResultLockErr           Result = -5013 // someone else locked a part of the range
	ResultMiscErr           Result = -5014 // all that has no code of its own
	ResultNoMoreLocks       Result = -5015
	ResultNoServer          Result = -5016
	ResultObjectExists      Result = -5017
	ResultObjectNotFound    Result = -5018
	ResultParamErr          Result = -5019 // a parameter makes no sense
	ResultRangeNotLocked    Result = -5020
	ResultRangeOverlap      Result = -5021 // the same fork has locked a part of the range
	ResultSessClosed        Result = -5022
	ResultUserNotAuth       Result = -5023 // the login failed, or is yet to come
	ResultCallNotSupported  Result = -5024 // the server does not know this command
	ResultObjectTypeErr     Result = -5025 // a folder where a file was expected, or the reverse
	ResultTooManyFilesOpen  Result = -5026
	ResultServerGoingDown   Result = -5027
	ResultCantRename        Result = -5028 // a volume's root has no name to change
	ResultDirNotFound       Result = -5029
	ResultIconTypeError     Result = -5030 // an icon of this kind has another size
	ResultVolLocked         Result = -5031 // the volume is read-only
	ResultObjectLocked      Result = -5032 // an attribute of the file or folder forbids this
	ResultContainsSharedErr Result = -5033 // the folder contains a share point
	ResultIDNotFound        Result = -5034
	ResultIDExists          Result = -5035 // the file has an id
	ResultDiffVolErr        Result = -5036
	ResultCatalogChanged    Result = -5037 // the search must begin anew
	ResultSameObjectErr     Result = -5038 // two that should differ are one
	ResultBadIDErr          Result = -5039
	ResultPwdSameErr        Result = -5040 // the new password is the old one
	ResultPwdTooShortErr    Result = -5041
	ResultPwdExpiredErr     Result = -5042 // the user may only change the password
	ResultInsideSharedErr   Result = -5043
	ResultInsideTrashErr    Result = -5044
	ResultPwdNeedsChangeErr Result = -5045 // the user may only change the password
	ResultPwdPolicyErr      Result = -5046
	ResultDiskQuotaExceeded Result = -5047
)

// ResultSRPFailed is how the SRP login method says that the password is wrong.
// The AFP Reference does not have it.
const ResultSRPFailed Result = -6754

var resultNames = map[Result]string{
	ResultNoErr:             "kFPNoErr",
	ResultNoMoreSessions:    "kFPNoMoreSessions",
	ResultASPSessClosed:     "kASPSessClosed",
	ResultAccessDenied:      "kFPAccessDenied",
	ResultAuthContinue:      "kFPAuthContinue",
	ResultBadUAM:            "kFPBadUAM",
	ResultBadVersNum:        "kFPBadVersNum",
	ResultBitmapErr:         "kFPBitmapErr",
	ResultCantMove:          "kFPCantMove",
	ResultDenyConflict:      "kFPDenyConflict",
	ResultDirNotEmpty:       "kFPDirNotEmpty",
	ResultDiskFull:          "kFPDiskFull",
	ResultEOFErr:            "kFPEOFErr",
	ResultFileBusy:          "kFPFileBusy",
	ResultFlatVol:           "kFPFlatVol",
	ResultItemNotFound:      "kFPItemNotFound",
	ResultLockErr:           "kFPLockErr",
	ResultMiscErr:           "kFPMiscErr",
	ResultNoMoreLocks:       "kFPNoMoreLocks",
	ResultNoServer:          "kFPNoServer",
	ResultObjectExists:      "kFPObjectExists",
	ResultObjectNotFound:    "kFPObjectNotFound",
	ResultParamErr:          "kFPParamErr",
	ResultRangeNotLocked:    "kFPRangeNotLocked",
	ResultRangeOverlap:      "kFPRangeOverlap",
	ResultSessClosed:        "kFPSessClosed",
	ResultUserNotAuth:       "kFPUserNotAuth",
	ResultCallNotSupported:  "kFPCallNotSupported",
	ResultObjectTypeErr:     "kFPObjectTypeErr",
	ResultTooManyFilesOpen:  "kFPTooManyFilesOpen",
	ResultServerGoingDown:   "kFPServerGoingDown",
	ResultCantRename:        "kFPCantRename",
	ResultDirNotFound:       "kFPDirNotFound",
	ResultIconTypeError:     "kFPIconTypeError",
	ResultVolLocked:         "kFPVolLocked",
	ResultObjectLocked:      "kFPObjectLocked",
	ResultContainsSharedErr: "kFPContainsSharedErr",
	ResultIDNotFound:        "kFPIDNotFound",
	ResultIDExists:          "kFPIDExists",
	ResultDiffVolErr:        "kFPDiffVolErr",
	ResultCatalogChanged:    "kFPCatalogChanged",
	ResultSameObjectErr:     "kFPSameObjectErr",
	ResultBadIDErr:          "kFPBadIDErr",
	ResultPwdSameErr:        "kFPPwdSameErr",
	ResultPwdTooShortErr:    "kFPPwdTooShortErr",
	ResultPwdExpiredErr:     "kFPPwdExpiredErr",
	ResultInsideSharedErr:   "kFPInsideSharedErr",
	ResultInsideTrashErr:    "kFPInsideTrashErr",
	ResultPwdNeedsChangeErr: "kFPPwdNeedsChangeErr",
	ResultPwdPolicyErr:      "kFPPwdPolicyErr",
	ResultDiskQuotaExceeded: "kFPDiskQuotaExceeded",
}

// String returns the name that the AFP Reference gives the result.
func (r Result) String() string {
	if name, ok := resultNames[r]; ok {
		return name
	}
	return fmt.Sprintf("AFP result %d", int32(r))
}

// Error returns String.
func (r Result) Error() string { return r.String() }

// ResultOf returns the result that stands for an error of a Decode: the Result
// in it, else ResultParamErr. A nil error is ResultNoErr.
func ResultOf(err error) Result {
	if err == nil {
		return ResultNoErr
	}
	if result, ok := errors.AsType[Result](err); ok {
		return result
	}
	return ResultParamErr
}
