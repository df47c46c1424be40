package smbwire

import "fmt"

// InfoType says what a QUERY_INFO or SET_INFO is about ([MS-SMB2] 2.2.37).
type InfoType uint8

// The types.
const (
	InfoFile       InfoType = 1
	InfoFileSystem InfoType = 2
	InfoSecurity   InfoType = 3
	InfoQuota      InfoType = 4
)

// FileInfoClass names a layout of information about a file or an entry of a
// folder ([MS-FSCC] 2.4).
type FileInfoClass uint8

// The classes, those that travel over SMB2 and those that a peer may ask for
// in vain.
const (
	FileDirectoryInformation           FileInfoClass = 1
	FileFullDirectoryInformation       FileInfoClass = 2
	FileBothDirectoryInformation       FileInfoClass = 3
	FileBasicInformation               FileInfoClass = 4
	FileStandardInformation            FileInfoClass = 5
	FileInternalInformation            FileInfoClass = 6
	FileEAInformation                  FileInfoClass = 7
	FileAccessInformation              FileInfoClass = 8
	FileNameInformation                FileInfoClass = 9
	FileRenameInformation              FileInfoClass = 10
	FileLinkInformation                FileInfoClass = 11
	FileNamesInformation               FileInfoClass = 12
	FileDispositionInformation         FileInfoClass = 13
	FilePositionInformation            FileInfoClass = 14
	FileFullEAInformation              FileInfoClass = 15
	FileModeInformation                FileInfoClass = 16
	FileAlignmentInformation           FileInfoClass = 17
	FileAllInformation                 FileInfoClass = 18
	FileAllocationInformation          FileInfoClass = 19
	FileEndOfFileInformation           FileInfoClass = 20
	FileAlternateNameInformation       FileInfoClass = 21
	FileStreamInformation              FileInfoClass = 22
	FilePipeInformation                FileInfoClass = 23
	FilePipeLocalInformation           FileInfoClass = 24
	FilePipeRemoteInformation          FileInfoClass = 25
	FileCompressionInformation         FileInfoClass = 28
	FileObjectIDInformation            FileInfoClass = 29
	FileQuotaInformation               FileInfoClass = 32
	FileReparsePointInformation        FileInfoClass = 33
	FileNetworkOpenInformation         FileInfoClass = 34
	FileAttributeTagInformation        FileInfoClass = 35
	FileIDBothDirectoryInformation     FileInfoClass = 37
	FileIDFullDirectoryInformation     FileInfoClass = 38
	FileValidDataLengthInformation     FileInfoClass = 39
	FileShortNameInformation           FileInfoClass = 40
	FileHardLinkInformation            FileInfoClass = 46
	FileNormalizedNameInformation      FileInfoClass = 48
	FileStandardLinkInformation        FileInfoClass = 54
	FileRemoteProtocolInformation      FileInfoClass = 55
	FileIDInformation                  FileInfoClass = 59
	FileIDExtdDirectoryInformation     FileInfoClass = 60
	FileIDExtdBothDirectoryInformation FileInfoClass = 63
	FileDispositionInformationEx       FileInfoClass = 64
	FileRenameInformationEx            FileInfoClass = 65
	FileLinkInformationEx              FileInfoClass = 72
)

func (c FileInfoClass) String() string {
	if name, ok := fileInfoNames[c]; ok {
		return name
	}
	return fmt.Sprintf("file information class %d", uint8(c))
}

var fileInfoNames = map[FileInfoClass]string{
	FileDirectoryInformation:           "FileDirectoryInformation",
	FileFullDirectoryInformation:       "FileFullDirectoryInformation",
	FileBothDirectoryInformation:       "FileBothDirectoryInformation",
	FileBasicInformation:               "FileBasicInformation",
	FileStandardInformation:            "FileStandardInformation",
	FileInternalInformation:            "FileInternalInformation",
	FileEAInformation:                  "FileEaInformation",
	FileAccessInformation:              "FileAccessInformation",
	FileNameInformation:                "FileNameInformation",
	FileRenameInformation:              "FileRenameInformation",
	FileLinkInformation:                "FileLinkInformation",
	FileNamesInformation:               "FileNamesInformation",
	FileDispositionInformation:         "FileDispositionInformation",
	FilePositionInformation:            "FilePositionInformation",
	FileFullEAInformation:              "FileFullEaInformation",
	FileModeInformation:                "FileModeInformation",
	FileAlignmentInformation:           "FileAlignmentInformation",
	FileAllInformation:                 "FileAllInformation",
	FileAllocationInformation:          "FileAllocationInformation",
	FileEndOfFileInformation:           "FileEndOfFileInformation",
	FileAlternateNameInformation:       "FileAlternateNameInformation",
	FileStreamInformation:              "FileStreamInformation",
	FilePipeInformation:                "FilePipeInformation",
	FilePipeLocalInformation:           "FilePipeLocalInformation",
	FilePipeRemoteInformation:          "FilePipeRemoteInformation",
	FileCompressionInformation:         "FileCompressionInformation",
	FileObjectIDInformation:            "FileObjectIdInformation",
	FileQuotaInformation:               "FileQuotaInformation",
	FileReparsePointInformation:        "FileReparsePointInformation",
	FileNetworkOpenInformation:         "FileNetworkOpenInformation",
	FileAttributeTagInformation:        "FileAttributeTagInformation",
	FileIDBothDirectoryInformation:     "FileIdBothDirectoryInformation",
	FileIDFullDirectoryInformation:     "FileIdFullDirectoryInformation",
	FileValidDataLengthInformation:     "FileValidDataLengthInformation",
	FileShortNameInformation:           "FileShortNameInformation",
	FileHardLinkInformation:            "FileHardLinkInformation",
	FileNormalizedNameInformation:      "FileNormalizedNameInformation",
	FileStandardLinkInformation:        "FileStandardLinkInformation",
	FileRemoteProtocolInformation:      "FileRemoteProtocolInformation",
	FileIDInformation:                  "FileIdInformation",
	FileIDExtdDirectoryInformation:     "FileIdExtdDirectoryInformation",
	FileIDExtdBothDirectoryInformation: "FileIdExtdBothDirectoryInformation",
	FileDispositionInformationEx:       "FileDispositionInformationEx",
	FileRenameInformationEx:            "FileRenameInformationEx",
	FileLinkInformationEx:              "FileLinkInformationEx",
}

// FSInfoClass names a layout of information about a volume ([MS-FSCC] 2.5).
type FSInfoClass uint8

// The classes.
const (
	FSVolumeInformation     FSInfoClass = 1
	FSLabelInformation      FSInfoClass = 2
	FSSizeInformation       FSInfoClass = 3
	FSDeviceInformation     FSInfoClass = 4
	FSAttributeInformation  FSInfoClass = 5
	FSControlInformation    FSInfoClass = 6
	FSFullSizeInformation   FSInfoClass = 7
	FSObjectIDInformation   FSInfoClass = 8
	FSDriverPathInformation FSInfoClass = 9
	FSSectorSizeInformation FSInfoClass = 11
)

func (c FSInfoClass) String() string {
	if name, ok := fsInfoNames[c]; ok {
		return name
	}
	return fmt.Sprintf("file system information class %d", uint8(c))
}

var fsInfoNames = map[FSInfoClass]string{
	FSVolumeInformation:     "FileFsVolumeInformation",
	FSLabelInformation:      "FileFsLabelInformation",
	FSSizeInformation:       "FileFsSizeInformation",
	FSDeviceInformation:     "FileFsDeviceInformation",
	FSAttributeInformation:  "FileFsAttributeInformation",
	FSControlInformation:    "FileFsControlInformation",
	FSFullSizeInformation:   "FileFsFullSizeInformation",
	FSObjectIDInformation:   "FileFsObjectIdInformation",
	FSDriverPathInformation: "FileFsDriverPathInformation",
	FSSectorSizeInformation: "FileFsSectorSizeInformation",
}
