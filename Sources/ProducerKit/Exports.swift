@_exported import CamoTypes
