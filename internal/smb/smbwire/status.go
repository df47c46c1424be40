package smbwire

import "fmt"

// Status is the outcome of an operation ([MS-ERREF] 2.3). It is an error, so
// that whoever handles a message can return one; StatusOK is not returned so.
type Status uint32

// The statuses that SMB uses. Of the top two bits 00 is success, 10 a warning
// and 11 an error.
const (
	StatusOK                               Status = 0x00000000
	StatusPending                          Status = 0x00000103
	StatusReparse                          Status = 0x00000104
	StatusMoreEntries                      Status = 0x00000105
	StatusSomeNotMapped                    Status = 0x00000107
	StatusOplockBreakInProgress            Status = 0x00000108
	StatusNotifyCleanup                    Status = 0x0000010b
	StatusNotifyEnumDir                    Status = 0x0000010c
	StatusDatatypeMisalignment             Status = 0x80000002
	StatusBufferOverflow                   Status = 0x80000005
	StatusNoMoreFiles                      Status = 0x80000006
	StatusInvalidEAName                    Status = 0x80000013
	StatusEAListInconsistent               Status = 0x80000014
	StatusNoMoreEntries                    Status = 0x8000001a
	StatusStoppedOnSymlink                 Status = 0x8000002d
	StatusUnsuccessful                     Status = 0xc0000001
	StatusNotImplemented                   Status = 0xc0000002
	StatusInvalidInfoClass                 Status = 0xc0000003
	StatusInfoLengthMismatch               Status = 0xc0000004
	StatusInvalidHandle                    Status = 0xc0000008
	StatusInvalidParameter                 Status = 0xc000000d
	StatusNoSuchDevice                     Status = 0xc000000e
	StatusNoSuchFile                       Status = 0xc000000f
	StatusInvalidDeviceRequest             Status = 0xc0000010
	StatusEndOfFile                        Status = 0xc0000011
	StatusWrongVolume                      Status = 0xc0000012
	StatusNoMediaInDevice                  Status = 0xc0000013
	StatusMoreProcessingRequired           Status = 0xc0000016
	StatusNoMemory                         Status = 0xc0000017
	StatusInvalidLockSequence              Status = 0xc000001e
	StatusAccessDenied                     Status = 0xc0000022
	StatusBufferTooSmall                   Status = 0xc0000023
	StatusObjectTypeMismatch               Status = 0xc0000024
	StatusObjectNameInvalid                Status = 0xc0000033
	StatusObjectNameNotFound               Status = 0xc0000034
	StatusObjectNameCollision              Status = 0xc0000035
	StatusObjectPathInvalid                Status = 0xc0000039
	StatusObjectPathNotFound               Status = 0xc000003a
	StatusObjectPathSyntaxBad              Status = 0xc000003b
	StatusDataError                        Status = 0xc000003e
	StatusCRCError                         Status = 0xc000003f
	StatusSharingViolation                 Status = 0xc0000043
	StatusQuotaExceeded                    Status = 0xc0000044
	StatusEAsNotSupported                  Status = 0xc000004f
	StatusEATooLarge                       Status = 0xc0000050
	StatusNonexistentEAEntry               Status = 0xc0000051
	StatusNoEAsOnFile                      Status = 0xc0000052
	StatusEACorruptError                   Status = 0xc0000053
	StatusFileLockConflict                 Status = 0xc0000054
	StatusLockNotGranted                   Status = 0xc0000055
	StatusDeletePending                    Status = 0xc0000056
	StatusUnknownRevision                  Status = 0xc0000058
	StatusInvalidOwner                     Status = 0xc000005a
	StatusInvalidPrimaryGroup              Status = 0xc000005b
	StatusNoImpersonationToken             Status = 0xc000005c
	StatusNoLogonServers                   Status = 0xc000005e
	StatusNoSuchLogonSession               Status = 0xc000005f
	StatusPrivilegeNotHeld                 Status = 0xc0000061
	StatusNoSuchUser                       Status = 0xc0000064
	StatusWrongPassword                    Status = 0xc000006a
	StatusPasswordRestriction              Status = 0xc000006c
	StatusLogonFailure                     Status = 0xc000006d
	StatusAccountRestriction               Status = 0xc000006e
	StatusInvalidLogonHours                Status = 0xc000006f
	StatusPasswordExpired                  Status = 0xc0000071
	StatusAccountDisabled                  Status = 0xc0000072
	StatusNoneMapped                       Status = 0xc0000073
	StatusInvalidACL                       Status = 0xc0000077
	StatusInvalidSID                       Status = 0xc0000078
	StatusInvalidSecurityDescriptor        Status = 0xc0000079
	StatusProcedureNotFound                Status = 0xc000007a
	StatusNoToken                          Status = 0xc000007c
	StatusRangeNotLocked                   Status = 0xc000007e
	StatusDiskFull                         Status = 0xc000007f
	StatusFileInvalid                      Status = 0xc0000098
	StatusInsufficientResources            Status = 0xc000009a
	StatusDeviceDataError                  Status = 0xc000009c
	StatusMediaWriteProtected              Status = 0xc00000a2
	StatusDeviceNotReady                   Status = 0xc00000a3
	StatusBadImpersonationLevel            Status = 0xc00000a5
	StatusInstanceNotAvailable             Status = 0xc00000ab
	StatusPipeNotAvailable                 Status = 0xc00000ac
	StatusInvalidPipeState                 Status = 0xc00000ad
	StatusPipeBusy                         Status = 0xc00000ae
	StatusIllegalFunction                  Status = 0xc00000af
	StatusPipeDisconnected                 Status = 0xc00000b0
	StatusPipeClosing                      Status = 0xc00000b1
	StatusIOTimeout                        Status = 0xc00000b5
	StatusFileIsADirectory                 Status = 0xc00000ba
	StatusNotSupported                     Status = 0xc00000bb
	StatusInvalidNetworkResponse           Status = 0xc00000c3
	StatusNetworkNameDeleted               Status = 0xc00000c9
	StatusNetworkAccessDenied              Status = 0xc00000ca
	StatusBadDeviceType                    Status = 0xc00000cb
	StatusBadNetworkName                   Status = 0xc00000cc
	StatusTooManySessions                  Status = 0xc00000ce
	StatusRequestNotAccepted               Status = 0xc00000d0
	StatusNotSameDevice                    Status = 0xc00000d4
	StatusFileRenamed                      Status = 0xc00000d5
	StatusPipeEmpty                        Status = 0xc00000d9
	StatusOplockNotGranted                 Status = 0xc00000e2
	StatusInvalidOplockProtocol            Status = 0xc00000e3
	StatusInternalError                    Status = 0xc00000e5
	StatusUnexpectedIOError                Status = 0xc00000e9
	StatusDirectoryNotEmpty                Status = 0xc0000101
	StatusFileCorruptError                 Status = 0xc0000102
	StatusNotADirectory                    Status = 0xc0000103
	StatusNameTooLong                      Status = 0xc0000106
	StatusTooManyOpenedFiles               Status = 0xc000011f
	StatusCancelled                        Status = 0xc0000120
	StatusCannotDelete                     Status = 0xc0000121
	StatusFileDeleted                      Status = 0xc0000123
	StatusFileClosed                       Status = 0xc0000128
	StatusInvalidLevel                     Status = 0xc0000148
	StatusPipeBroken                       Status = 0xc000014b
	StatusLogonTypeNotGranted              Status = 0xc000015b
	StatusInvalidDeviceState               Status = 0xc0000184
	StatusAccountExpired                   Status = 0xc0000193
	StatusFSDriverRequired                 Status = 0xc000019c
	StatusInvalidLockRange                 Status = 0xc00001a1
	StatusUserSessionDeleted               Status = 0xc0000203
	StatusInsuffServerResources            Status = 0xc0000205
	StatusInvalidBufferSize                Status = 0xc0000206
	StatusConnectionDisconnected           Status = 0xc000020c
	StatusConnectionReset                  Status = 0xc000020d
	StatusPasswordMustChange               Status = 0xc0000224
	StatusNotFound                         Status = 0xc0000225
	StatusRetry                            Status = 0xc000022d
	StatusAccountLockedOut                 Status = 0xc0000234
	StatusConnectionRefused                Status = 0xc0000236
	StatusRequestAborted                   Status = 0xc0000240
	StatusPathNotCovered                   Status = 0xc0000257
	StatusTooManyLinks                     Status = 0xc0000265
	StatusNotAReparsePoint                 Status = 0xc0000275
	StatusIOReparseTagInvalid              Status = 0xc0000276
	StatusIOReparseTagMismatch             Status = 0xc0000277
	StatusIOReparseDataInvalid             Status = 0xc0000278
	StatusIOReparseTagNotHandled           Status = 0xc0000279
	StatusReparsePointNotResolved          Status = 0xc0000280
	StatusNetworkSessionExpired            Status = 0xc000035c
	StatusDowngradeDetected                Status = 0xc0000388
	StatusFileSystemLimitation             Status = 0xc0000427
	StatusFileNotAvailable                 Status = 0xc0000467
	StatusShareUnavailable                 Status = 0xc0000480
	StatusFileTooLarge                     Status = 0xc0000904
	StatusInvalidSignature                 Status = 0xc000a000
	StatusHashNotSupported                 Status = 0xc000a100
	StatusHashNotPresent                   Status = 0xc000a101
	StatusSMBNoPreauthIntegrityHashOverlap Status = 0xc05d0000
	StatusSMBBadClusterDialect             Status = 0xc05d0001
)

var statusNames = map[Status]string{
	StatusOK:                               "STATUS_SUCCESS",
	StatusPending:                          "STATUS_PENDING",
	StatusReparse:                          "STATUS_REPARSE",
	StatusMoreEntries:                      "STATUS_MORE_ENTRIES",
	StatusSomeNotMapped:                    "STATUS_SOME_NOT_MAPPED",
	StatusOplockBreakInProgress:            "STATUS_OPLOCK_BREAK_IN_PROGRESS",
	StatusNotifyCleanup:                    "STATUS_NOTIFY_CLEANUP",
	StatusNotifyEnumDir:                    "STATUS_NOTIFY_ENUM_DIR",
	StatusDatatypeMisalignment:             "STATUS_DATATYPE_MISALIGNMENT",
	StatusBufferOverflow:                   "STATUS_BUFFER_OVERFLOW",
	StatusNoMoreFiles:                      "STATUS_NO_MORE_FILES",
	StatusInvalidEAName:                    "STATUS_INVALID_EA_NAME",
	StatusEAListInconsistent:               "STATUS_EA_LIST_INCONSISTENT",
	StatusNoMoreEntries:                    "STATUS_NO_MORE_ENTRIES",
	StatusStoppedOnSymlink:                 "STATUS_STOPPED_ON_SYMLINK",
	StatusUnsuccessful:                     "STATUS_UNSUCCESSFUL",
	StatusNotImplemented:                   "STATUS_NOT_IMPLEMENTED",
	StatusInvalidInfoClass:                 "STATUS_INVALID_INFO_CLASS",
	StatusInfoLengthMismatch:               "STATUS_INFO_LENGTH_MISMATCH",
	StatusInvalidHandle:                    "STATUS_INVALID_HANDLE",
	StatusInvalidParameter:                 "STATUS_INVALID_PARAMETER",
	StatusNoSuchDevice:                     "STATUS_NO_SUCH_DEVICE",
	StatusNoSuchFile:                       "STATUS_NO_SUCH_FILE",
	StatusInvalidDeviceRequest:             "STATUS_INVALID_DEVICE_REQUEST",
	StatusEndOfFile:                        "STATUS_END_OF_FILE",
	StatusWrongVolume:                      "STATUS_WRONG_VOLUME",
	StatusNoMediaInDevice:                  "STATUS_NO_MEDIA_IN_DEVICE",
	StatusMoreProcessingRequired:           "STATUS_MORE_PROCESSING_REQUIRED",
	StatusNoMemory:                         "STATUS_NO_MEMORY",
	StatusInvalidLockSequence:              "STATUS_INVALID_LOCK_SEQUENCE",
	StatusAccessDenied:                     "STATUS_ACCESS_DENIED",
	StatusBufferTooSmall:                   "STATUS_BUFFER_TOO_SMALL",
	StatusObjectTypeMismatch:               "STATUS_OBJECT_TYPE_MISMATCH",
	StatusObjectNameInvalid:                "STATUS_OBJECT_NAME_INVALID",
	StatusObjectNameNotFound:               "STATUS_OBJECT_NAME_NOT_FOUND",
	StatusObjectNameCollision:              "STATUS_OBJECT_NAME_COLLISION",
	StatusObjectPathInvalid:                "STATUS_OBJECT_PATH_INVALID",
	StatusObjectPathNotFound:               "STATUS_OBJECT_PATH_NOT_FOUND",
	StatusObjectPathSyntaxBad:              "STATUS_OBJECT_PATH_SYNTAX_BAD",
	StatusDataError:                        "STATUS_DATA_ERROR",
	StatusCRCError:                         "STATUS_CRC_ERROR",
	StatusSharingViolation:                 "STATUS_SHARING_VIOLATION",
	StatusQuotaExceeded:                    "STATUS_QUOTA_EXCEEDED",
	StatusEAsNotSupported:                  "STATUS_EAS_NOT_SUPPORTED",
	StatusEATooLarge:                       "STATUS_EA_TOO_LARGE",
	StatusNonexistentEAEntry:               "STATUS_NONEXISTENT_EA_ENTRY",
	StatusNoEAsOnFile:                      "STATUS_NO_EAS_ON_FILE",
	StatusEACorruptError:                   "STATUS_EA_CORRUPT_ERROR",
	StatusFileLockConflict:                 "STATUS_FILE_LOCK_CONFLICT",
	StatusLockNotGranted:                   "STATUS_LOCK_NOT_GRANTED",
	StatusDeletePending:                    "STATUS_DELETE_PENDING",
	StatusUnknownRevision:                  "STATUS_UNKNOWN_REVISION",
	StatusInvalidOwner:                     "STATUS_INVALID_OWNER",
	StatusInvalidPrimaryGroup:              "STATUS_INVALID_PRIMARY_GROUP",
	StatusNoImpersonationToken:             "STATUS_NO_IMPERSONATION_TOKEN",
	StatusNoLogonServers:                   "STATUS_NO_LOGON_SERVERS",
	StatusNoSuchLogonSession:               "STATUS_NO_SUCH_LOGON_SESSION",
	StatusPrivilegeNotHeld:                 "STATUS_PRIVILEGE_NOT_HELD",
	StatusNoSuchUser:                       "STATUS_NO_SUCH_USER",
	StatusWrongPassword:                    "STATUS_WRONG_PASSWORD",
	StatusPasswordRestriction:              "STATUS_PASSWORD_RESTRICTION",
	StatusLogonFailure:                     "STATUS_LOGON_FAILURE",
	StatusAccountRestriction:               "STATUS_ACCOUNT_RESTRICTION",
	StatusInvalidLogonHours:                "STATUS_INVALID_LOGON_HOURS",
	StatusPasswordExpired:                  "STATUS_PASSWORD_EXPIRED",
	StatusAccountDisabled:                  "STATUS_ACCOUNT_DISABLED",
	StatusNoneMapped:                       "STATUS_NONE_MAPPED",
	StatusInvalidACL:                       "STATUS_INVALID_ACL",
	StatusInvalidSID:                       "STATUS_INVALID_SID",
	StatusInvalidSecurityDescriptor:        "STATUS_INVALID_SECURITY_DESCR",
	StatusProcedureNotFound:                "STATUS_PROCEDURE_NOT_FOUND",
	StatusNoToken:                          "STATUS_NO_TOKEN",
	StatusRangeNotLocked:                   "STATUS_RANGE_NOT_LOCKED",
	StatusDiskFull:                         "STATUS_DISK_FULL",
	StatusFileInvalid:                      "STATUS_FILE_INVALID",
	StatusInsufficientResources:            "STATUS_INSUFFICIENT_RESOURCES",
	StatusDeviceDataError:                  "STATUS_DEVICE_DATA_ERROR",
	StatusMediaWriteProtected:              "STATUS_MEDIA_WRITE_PROTECTED",
	StatusDeviceNotReady:                   "STATUS_DEVICE_NOT_READY",
	StatusBadImpersonationLevel:            "STATUS_BAD_IMPERSONATION_LEVEL",
	StatusInstanceNotAvailable:             "STATUS_INSTANCE_NOT_AVAILABLE",
	StatusPipeNotAvailable:                 "STATUS_PIPE_NOT_AVAILABLE",
	StatusInvalidPipeState:                 "STATUS_INVALID_PIPE_STATE",
	StatusPipeBusy:                         "STATUS_PIPE_BUSY",
	StatusIllegalFunction:                  "STATUS_ILLEGAL_FUNCTION",
	StatusPipeDisconnected:                 "STATUS_PIPE_DISCONNECTED",
	StatusPipeClosing:                      "STATUS_PIPE_CLOSING",
	StatusIOTimeout:                        "STATUS_IO_TIMEOUT",
	StatusFileIsADirectory:                 "STATUS_FILE_IS_A_DIRECTORY",
	StatusNotSupported:                     "STATUS_NOT_SUPPORTED",
	StatusInvalidNetworkResponse:           "STATUS_INVALID_NETWORK_RESPONSE",
	StatusNetworkNameDeleted:               "STATUS_NETWORK_NAME_DELETED",
	StatusNetworkAccessDenied:              "STATUS_NETWORK_ACCESS_DENIED",
	StatusBadDeviceType:                    "STATUS_BAD_DEVICE_TYPE",
	StatusBadNetworkName:                   "STATUS_BAD_NETWORK_NAME",
	StatusTooManySessions:                  "STATUS_TOO_MANY_SESSIONS",
	StatusRequestNotAccepted:               "STATUS_REQUEST_NOT_ACCEPTED",
	StatusNotSameDevice:                    "STATUS_NOT_SAME_DEVICE",
	StatusFileRenamed:                      "STATUS_FILE_RENAMED",
	StatusPipeEmpty:                        "STATUS_PIPE_EMPTY",
	StatusOplockNotGranted:                 "STATUS_OPLOCK_NOT_GRANTED",
	StatusInvalidOplockProtocol:            "STATUS_INVALID_OPLOCK_PROTOCOL",
	StatusInternalError:                    "STATUS_INTERNAL_ERROR",
	StatusUnexpectedIOError:                "STATUS_UNEXPECTED_IO_ERROR",
	StatusDirectoryNotEmpty:                "STATUS_DIRECTORY_NOT_EMPTY",
	StatusFileCorruptError:                 "STATUS_FILE_CORRUPT_ERROR",
	StatusNotADirectory:                    "STATUS_NOT_A_DIRECTORY",
	StatusNameTooLong:                      "STATUS_NAME_TOO_LONG",
	StatusTooManyOpenedFiles:               "STATUS_TOO_MANY_OPENED_FILES",
	StatusCancelled:                        "STATUS_CANCELLED",
	StatusCannotDelete:                     "STATUS_CANNOT_DELETE",
	StatusFileDeleted:                      "STATUS_FILE_DELETED",
	StatusFileClosed:                       "STATUS_FILE_CLOSED",
	StatusInvalidLevel:                     "STATUS_INVALID_LEVEL",
	StatusPipeBroken:                       "STATUS_PIPE_BROKEN",
	StatusLogonTypeNotGranted:              "STATUS_LOGON_TYPE_NOT_GRANTED",
	StatusInvalidDeviceState:               "STATUS_INVALID_DEVICE_STATE",
	StatusAccountExpired:                   "STATUS_ACCOUNT_EXPIRED",
	StatusFSDriverRequired:                 "STATUS_FS_DRIVER_REQUIRED",
	StatusInvalidLockRange:                 "STATUS_INVALID_LOCK_RANGE",
	StatusUserSessionDeleted:               "STATUS_USER_SESSION_DELETED",
	StatusInsuffServerResources:            "STATUS_INSUFF_SERVER_RESOURCES",
	StatusInvalidBufferSize:                "STATUS_INVALID_BUFFER_SIZE",
	StatusConnectionDisconnected:           "STATUS_CONNECTION_DISCONNECTED",
	StatusConnectionReset:                  "STATUS_CONNECTION_RESET",
	StatusPasswordMustChange:               "STATUS_PASSWORD_MUST_CHANGE",
	StatusNotFound:                         "STATUS_NOT_FOUND",
	StatusRetry:                            "STATUS_RETRY",
	StatusAccountLockedOut:                 "STATUS_ACCOUNT_LOCKED_OUT",
	StatusConnectionRefused:                "STATUS_CONNECTION_REFUSED",
	StatusRequestAborted:                   "STATUS_REQUEST_ABORTED",
	StatusPathNotCovered:                   "STATUS_PATH_NOT_COVERED",
	StatusTooManyLinks:                     "STATUS_TOO_MANY_LINKS",
	StatusNotAReparsePoint:                 "STATUS_NOT_A_REPARSE_POINT",
	StatusIOReparseTagInvalid:              "STATUS_IO_REPARSE_TAG_INVALID",
	StatusIOReparseTagMismatch:             "STATUS_IO_REPARSE_TAG_MISMATCH",
	StatusIOReparseDataInvalid:             "STATUS_IO_REPARSE_DATA_INVALID",
	StatusIOReparseTagNotHandled:           "STATUS_IO_REPARSE_TAG_NOT_HANDLED",
	StatusReparsePointNotResolved:          "STATUS_REPARSE_POINT_NOT_RESOLVED",
	StatusNetworkSessionExpired:            "STATUS_NETWORK_SESSION_EXPIRED",
	StatusDowngradeDetected:                "STATUS_DOWNGRADE_DETECTED",
	StatusFileSystemLimitation:             "STATUS_FILE_SYSTEM_LIMITATION",
	StatusFileNotAvailable:                 "STATUS_FILE_NOT_AVAILABLE",
	StatusShareUnavailable:                 "STATUS_SHARE_UNAVAILABLE",
	StatusFileTooLarge:                     "STATUS_FILE_TOO_LARGE",
	StatusInvalidSignature:                 "STATUS_INVALID_SIGNATURE",
	StatusHashNotSupported:                 "STATUS_HASH_NOT_SUPPORTED",
	StatusHashNotPresent:                   "STATUS_HASH_NOT_PRESENT",
	StatusSMBNoPreauthIntegrityHashOverlap: "STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP",
	StatusSMBBadClusterDialect:             "STATUS_SMB_BAD_CLUSTER_DIALECT",
}

// String returns the name [MS-ERREF] gives the status.
func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("STATUS_%08X", uint32(s))
}

// Error returns String.
func (s Status) Error() string { return s.String() }

// IsError reports whether the operation failed. Warnings are no failures: a
// full response comes with them.
func (s Status) IsError() bool { return s>>30 == 3 }
